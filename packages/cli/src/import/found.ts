import type { RecordInput } from '@keepsake/core';
import type { BrokenInput } from './broken-input.ts';

/** A record to import, or the reason to skip it. */
export type Found = {
  /** Its position in the input, as printed: `line 7`. */
  readonly place: string;
} & (
  | { readonly record: RecordInput & { readonly id: string }; readonly skipped?: undefined }
  | { readonly skipped: 'blank' | 'expired' }
  | { readonly skipped: 'broken'; readonly failure: BrokenInput }
);
