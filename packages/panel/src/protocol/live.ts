import type { RecordDetail } from './record.ts';

// GET live?namespace=&descendants=&seen=

/** The records on the screen, by namespace, as JSON in `seen`: at most `LIMITS.seenRecords`. */
export type SeenRecords = readonly (readonly [namespace: string, ids: readonly string[]])[];

/** Poll it every few seconds. */
export interface Live {
  /** If it is another than before, records appeared or went: load the page again. */
  readonly mark: string;
  /** The records of `seen` as they are now, in their order; `null` for one that is gone. */
  readonly seen: readonly (RecordState | null)[];
}

/** Changes whenever the record does. */
export type RecordState = Pick<RecordDetail, 'version' | 'updatedAt' | 'validUntil'>;
