import { messageText } from '../../model/message.ts';
import type { Item } from './plan.ts';

const BATCH_MESSAGES = 100;
const BATCH_CHARACTERS = 40_000;

/** The first items, as many as a model can read at once, but at least one. */
export function firstBatch(items: readonly Item[]): readonly Item[] {
  let characters = 0;
  let count = 0;
  for (const { message } of items) {
    characters += messageText(message).length;
    if (count === BATCH_MESSAGES || (count > 0 && characters > BATCH_CHARACTERS)) break;
    count++;
  }
  return items.slice(0, count);
}
