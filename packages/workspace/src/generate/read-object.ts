import { MemoryError } from '@keepsake/core';
import { isRecord } from '../check-fields.ts';

/**
 * The JSON object that a file of ours holds.
 *
 * @param isWhole - Whether it is what was written there.
 * @throws MemoryError `CORRUPT` where it is not.
 */
export function readObject<T>(path: string, text: string, isWhole: (value: Record<string, unknown>) => boolean): T {
  const value = parse(text);
  if (isRecord(value) && isWhole(value)) return value as T;
  throw new MemoryError(
    'CORRUPT',
    `${path} is damaged. Restore it from a backup, or delete it while nobody uses the memory: it is made anew.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
