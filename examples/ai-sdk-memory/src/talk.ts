/** One process: sends one message to the model. */
import { memoryMiddleware, memoryTools } from '@keepsake/ai-sdk';
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { gateway, isStepCount, streamText, wrapLanguageModel } from 'ai';
import { localModel } from './local-model.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);

const store = new FileStore({ directory, name: 'chats', extraction: { trigger: new InvocationTrigger() } });
const memory = new MemoryManager({ stores: [store] });

try {
  const model = wrapLanguageModel({
    model: process.env.AI_GATEWAY_API_KEY ? gateway('openai/gpt-5-mini') : localModel(),
    middleware: memoryMiddleware(memory),
  });
  const { textStream } = streamText({ model, prompt: text, tools: memoryTools(memory), stopWhen: isStepCount(5) });
  process.stdout.write(`process ${process.pid}\n  You:   ${text}\n  Agent: `);
  for await (const part of textStream) process.stdout.write(part);
  process.stdout.write('\n');
} finally {
  // Pending memories are saved before the store closes.
  await memory.flush();
  await store.close();
}
