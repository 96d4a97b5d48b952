import { recentItems } from '@keepsake/core';
import { RedisSession, RedisStore } from '@keepsake/redis';
import type { Redis } from 'ioredis';

type ChatMessage = { role: 'user' | 'assistant'; content: string };

/** Answers a message of a user. Everything it knows is in Redis, so any process can continue the conversation. */
export async function answer(client: Redis, user: string, text: string): Promise<string> {
  const session = new RedisSession<ChatMessage>({
    client,
    sessionId: `chat of ${user}`,
    ttlMs: 7 * 24 * 60 * 60 * 1000,
  });
  const memory = new RedisStore({ client, name: 'messages', namespace: ['u', user] });
  const [before] = await memory.search(text, { maxSearchResults: 1 });
  const count = (await recentItems(session, { maxTurns: 100 })).filter(({ role }) => role === 'user').length;
  const isQuestion = text.trim().endsWith('?');
  const reply = isQuestion ? recalled(before?.content) : `Noted, as number ${count + 1}.`;
  if (!isQuestion) await memory.add(text);
  // One batch: what another process adds at the same time comes before or after both items, never in between.
  await session.addItems([
    { role: 'user', content: text },
    { role: 'assistant', content: reply },
  ]);
  return reply;
}

function recalled(content: string | undefined): string {
  return content === undefined ? 'I have nothing about that yet.' : `You said: ${content}`;
}
