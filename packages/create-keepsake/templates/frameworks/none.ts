import { type Message, messageText, recentItems } from '@keepsake/core';
import OpenAI from 'openai';
import type { Turn } from './turn.ts';

/** The variable with the key of the model. */
export const key = 'OPENAI_API_KEY';

let client: OpenAI | undefined;

/** Any server with OpenAI's Responses API. */
async function answer(messages: readonly Message[], { signal }: { readonly signal?: AbortSignal }): Promise<string> {
  client ??= new OpenAI(); // reads OPENAI_API_KEY and OPENAI_BASE_URL
  const response = await client.responses.create(
    {
      model: process.env.OPENAI_MODEL || 'gpt-5-mini',
      instructions: 'You are a helpful assistant. Be brief.',
      input: messages.map((message) => ({ role: roleOf(message), content: messageText(message) })),
      store: false,
    },
    { signal },
  );
  return response.output_text;
}

function roleOf({ role }: Message): 'user' | 'assistant' {
  return role === 'assistant' ? 'assistant' : 'user';
}

export async function reply({ content, session, thread, memory, signal }: Turn): Promise<string> {
  const said: Message = { role: 'user', content };
  await session.addItems([said]);
  const messages = (await recentItems(session, { maxTurns: 20 })) as Message[];
  const text = await memory.turn({ thread, messages, answer, signal });
  await session.addItems([{ role: 'assistant', content: text }]);
  return text;
}
