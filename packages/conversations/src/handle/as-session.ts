import type { JsonObject } from '@keepsake/core';
import type { ConversationHandle } from './conversation-handle.ts';
import type { SessionWithContext } from './handle-results.ts';

/**
 * The history of a conversation as a plain session, for frameworks that need one: with `lastTurns`, only these turns. Each `addItems` is a completed run,
 * followed by updates of the summary and the profile if these are on. A failed update is retried after the next run.
 *
 * @throws MemoryError `INVALID_ARGUMENT` without `fullSessionMemory`, because the session would keep nothing.
 */
export function asSession<Item extends object = JsonObject>(
  handle: ConversationHandle<Item>,
): SessionWithContext<Item> {
  return handle.asSession();
}
