import { recentItems } from '@keepsake/core';
import { RedisSession, RedisStore } from '@keepsake/redis';
import type { Redis } from 'ioredis';

type Said = { role: 'user' | 'assistant'; content: string };

/** Answers what a user says. All that it knows lies in Redis: any process can go on with the conversation. */
export async function answer(client: Redis, user: string, text: string): Promise<string> {
  const session = new RedisSession<Said>({ client, sessionId: `chat of ${user}`, ttlMs: 7 * 24 * 60 * 60 * 1000 });
  const memory = new RedisStore({ client, name: 'said', namespace: ['user', user] });
  const [before] = await memory.search(text, { maxSearchResults: 1 });
  const said = (await recentItems(session, { maxTurns: 100 })).filter(({ role }) => role === 'user').length;
  const reply = text.trim().endsWith('?') ? recalled(before?.content) : `Noted, as number ${said + 1}.`;
  if (!text.trim().endsWith('?')) await memory.add(text);
  // One batch: another process that answers at the same time comes before it or after it, never in between.
  await session.addItems([
    { role: 'user', content: text },
    { role: 'assistant', content: reply },
  ]);
  return reply;
}

function recalled(content: string | undefined): string {
  return content === undefined ? 'I have nothing about that yet.' : `You said: ${content}`;
}
