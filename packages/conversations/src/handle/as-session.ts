import type { JsonObject, Session } from '@keepsake/core';
import type { ConversationHandle } from './conversation-handle.ts';

/**
 * The history of a conversation as a plain session, for frameworks that want one. Each `addItems` is a completed run, of
 * which a summary and a profile are made where these are on; what fails there is made up for at the next.
 *
 * @throws MemoryError `INVALID_ARGUMENT` without `fullSessionMemory`: a session that keeps nothing is none.
 */
export function asSession<Item extends object = JsonObject>(handle: ConversationHandle<Item>): Session<Item> {
  return handle.asSession();
}
