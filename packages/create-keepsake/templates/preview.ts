import { type Message, messageText, recentItems } from '@keepsake/core';
import type { Turn } from './turn.ts';

/** Stands for the model until its key is set: shows what the model would read. Remembers what the user says. */
export async function preview({ content, session, thread, memory }: Turn): Promise<string> {
  const said: Message = { role: 'user', content };
  await session.addItems([said]);
  const messages = (await recentItems(session, { maxTurns: 20 })) as Message[];
  const conversation = memory.conversation({ id: thread });
  const input = await conversation.inject(messages);
  conversation.observe(said);
  await conversation.endTurn();
  return `I read: ${input.map(messageText).join(' | ')}`;
}
