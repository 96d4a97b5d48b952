import type { ConversationMemory } from '@keepsake/conversations';
import type { RecordStore, SessionStore } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import type { ConversationOptions } from '../../open/open-conversations.ts';

/** The ids of memories that begin with a text, closed ones too. */
export async function* memoryIds(store: RecordStore, idPrefix: string): AsyncGenerator<string> {
  const { history } = store.capabilities;
  for await (const { id } of allItems((options) => store.list({ ...options, idPrefix, history }), { limit: 2 }))
    yield id;
}

/** The ids of sessions that begin with a text. */
export async function* sessionIds(sessions: SessionStore, idPrefix: string): AsyncGenerator<string> {
  for await (const { sessionId } of allItems((options) => sessions.list({ ...options, idPrefix }))) yield sessionId;
}

export async function* conversationIds(
  memory: ConversationMemory,
  { kind = 'agent', user }: ConversationOptions,
): AsyncGenerator<string> {
  const whose = user === undefined ? { allUsers: true } : { userId: user };
  for await (const { key } of allItems((options) => memory.listSessions({ ...options, ...whose, kind }))) {
    yield key.sessionId;
  }
}
