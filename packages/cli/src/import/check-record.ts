import type { RecordInput } from '@keepsake/core';
import { prepareRecord } from '@keepsake/core/adapter';
import { type BrokenInput, brokenInput } from './broken-input.ts';

/** Why no store accepts a record, with the error of the store as its cause; `undefined` if one does. */
export function checkRecord(record: RecordInput, place: string): BrokenInput | undefined {
  try {
    prepareRecord(record);
    return undefined;
  } catch (error) {
    return brokenInput(`${place}: ${(error as Error).message}`, error);
  }
}
