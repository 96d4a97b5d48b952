import type { RecordRow, RecordSelection } from './records.ts';

// POST deletion/preview, deletion/step

export type PreviewDeletion =
  | { readonly select: RecordSelection }
  | {
      readonly records: readonly { readonly namespace: string; readonly id: string; readonly version?: number }[];
    };

export interface DeletionPreview {
  /** Removes exactly the records of the preview, in the versions that they had. Valid for ten minutes, once. */
  readonly token: string;
  readonly count: number;
  /** Whether more match than one deletion takes: see `LIMITS.deletionRecords`. */
  readonly more: boolean;
  /** The first 20. */
  readonly sample: readonly RecordRow[];
}

/** The answer to `{ token }`. Step until `left` is 0. */
export interface DeletionProgress {
  /** Of all steps. */
  readonly deleted: number;
  /** Records that someone changed since the preview: kept. */
  readonly changed: number;
  /** Records that were already gone. */
  readonly gone: number;
  readonly left: number;
}
