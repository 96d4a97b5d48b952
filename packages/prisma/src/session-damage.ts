import { MemoryError } from '@keepsake/core';
import type { StoredItem } from './session-changes.ts';

/** An item of a session that can not be read any more. It is kept as it is. */
export interface DamagedItem {
  readonly sessionId: string;
  /** The `seq` of its row in `keepsake_items`. */
  readonly seq: number;
}

/** Is told of each damaged item once by every instance that comes upon it. */
export type OnCorrupt = (item: DamagedItem) => void;

/** Says it on the console; never what the item holds. */
export function warnOfDamage({ sessionId, seq }: DamagedItem): void {
  console.warn(
    `Keepsake: in keepsake_items, the item ${seq} of the session ${JSON.stringify(sessionId)} is no JSON object. All others are read, and it is left as it is.`,
  );
}

/** An item; `undefined` where it is damaged. */
export function readItem(text: string): object | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return typeof item === 'object' && item !== null && !Array.isArray(item) ? item : undefined;
  } catch {
    return undefined;
  }
}

/** An item; `CORRUPT` where it is damaged. */
export function soundItem(stored: StoredItem): object {
  const item = readItem(stored.text);
  if (item !== undefined) return item;
  throw new MemoryError(
    'CORRUPT',
    'A damaged item stands where this would change the history, so nothing was changed. Clear the session, or mend the item in keepsake_items.',
  );
}
