import { messageText } from '../../model/message.ts';
import { PROMPT_CHARACTERS } from './message-parts.ts';
import type { Item } from './plan.ts';

const BATCH_MESSAGES = 100;

/** The first items, as many as fit into a prompt, but at least one. */
export function firstBatch(items: readonly Item[]): readonly Item[] {
  let characters = 0;
  let count = 0;
  for (const { message } of items) {
    characters += messageText(message).length;
    if (count === BATCH_MESSAGES || (count > 0 && characters > PROMPT_CHARACTERS)) break;
    count++;
  }
  return items.slice(0, count);
}

/** The number of prompts that the items need, at most. Only a long message needs several, and each is more than half full. */
export function maxPrompts(items: readonly Item[]): number {
  const characters = items.reduce((sum, { message }) => sum + messageText(message).length, 0);
  return characters <= PROMPT_CHARACTERS ? 1 : Math.ceil((2 * characters) / PROMPT_CHARACTERS);
}
