import { MemoryError } from '@keepsake/core';
import { isObject, parseJson } from '@keepsake/internal';

/**
 * The JSON object in one of our files.
 *
 * @param isWhole - Whether the value has the expected form.
 * @throws MemoryError `CORRUPT` if it has not.
 */
export function readObject<T>(path: string, text: string, isWhole: (value: Record<string, unknown>) => boolean): T {
  const value = parseJson(text);
  if (isObject(value) && isWhole(value)) return value as T;
  throw new MemoryError(
    'CORRUPT',
    `${path} is damaged. Restore it from a backup, or delete it while nobody uses the memory: it is created again.`,
  );
}
