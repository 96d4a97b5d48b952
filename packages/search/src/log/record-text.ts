import { MemoryError, type MemoryRecord } from '@keepsake/core';
import { isObject, parseJson } from '@keepsake/internal';

/** A record without its id as JSON, for backends that keep records as texts. Lone surrogates are escaped. */
export function writeRecord({ id, ...fields }: MemoryRecord): string {
  return JSON.stringify(fields);
}

/** @throws MemoryError `CORRUPT` if it is damaged. The error of the parser would quote its content. */
export function readRecord(id: string, text: string): MemoryRecord {
  const stored = parseJson(text);
  if (isObject(stored) && typeof stored.content === 'string' && isObject(stored.metadata)) {
    return { id, ...stored } as unknown as MemoryRecord;
  }
  throw new MemoryError('CORRUPT', 'A record of this store is damaged. Restore it from a backup.');
}
