import type { JsonObject, MemoryRecord, Namespace, RecordInput } from '@keepsake/core';
import type { BrokenInput } from './broken-input.ts';

/** What was found in an input: a record, a session, or the reason to skip something. */
export type FoundEntry = {
  /** Its position in the input, as printed: `line 7`. */
  readonly place: string;
} & (FoundRecord | FoundSession | Skipped);

export interface FoundRecord {
  readonly record: RecordInput & { readonly id: string };
  /** Its namespace below that of the import. @default [] */
  readonly namespace?: Namespace;
  /** What an existing record of this id becomes; `undefined` if it has everything. @default It stays as it is. */
  readonly merge?: (existing: MemoryRecord) => RecordInput | undefined;
  readonly skipped?: undefined;
}

/** A conversation. */
interface FoundSession {
  readonly session: { readonly id: string; readonly items: readonly JsonObject[] };
  readonly skipped?: undefined;
}

type Skipped =
  | { readonly skipped: 'blank' | 'expired' }
  | { readonly skipped: 'broken'; readonly failure: BrokenInput };
