import { isObject } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';

/** Reads a stored item; `undefined` if it is damaged, that is, not a JSON object. */
export function readItem(text: string): object | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return isObject(item) ? item : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a stored item that a change removes or replaces.
 *
 * @param place - Where a person can repair items, such as `Redis`.
 * @throws MemoryError `CORRUPT` if the item is damaged: it may still be repaired.
 */
export function readValidItem(text: string, place: string): object {
  const item = readItem(text);
  if (item !== undefined) return item;
  throw new MemoryError(
    'CORRUPT',
    `This would change a damaged item, so nothing was changed. Clear the session, or repair the item in ${place}.`,
  );
}
