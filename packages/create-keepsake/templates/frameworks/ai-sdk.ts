import { memoryMiddleware, memoryTools } from '@keepsake/ai-sdk';
import { recentItems } from '@keepsake/core';
import { gateway, generateText, isStepCount, type ModelMessage, wrapLanguageModel } from 'ai';
import type { Turn } from './turn.ts';

/** The variable with the key of the model. */
export const key = 'AI_GATEWAY_API_KEY';

export async function reply({ content, session, thread, memory, signal }: Turn): Promise<string> {
  const said: ModelMessage = { role: 'user', content };
  await session.addItems([said]);
  const messages = (await recentItems(session, { maxTurns: 20 })) as ModelMessage[];
  // A model of any other provider of the AI SDK works as well.
  const model = wrapLanguageModel({
    model: gateway(process.env.AI_MODEL || 'openai/gpt-5-mini'),
    middleware: memoryMiddleware(memory, { conversationId: thread }),
  });
  const { text } = await generateText({
    model,
    instructions: 'You are a helpful assistant. Be brief.',
    messages,
    tools: memoryTools(memory),
    stopWhen: isStepCount(5),
    abortSignal: signal,
  });
  await session.addItems([{ role: 'assistant', content: text }]);
  return text;
}
