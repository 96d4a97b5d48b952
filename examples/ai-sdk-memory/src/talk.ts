/** One process, in which one thing is said to the model. */
import { memoryMiddleware, memoryTools } from '@keepsake/ai-sdk';
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { gateway, isStepCount, streamText, wrapLanguageModel } from 'ai';
import { localModel } from './local-model.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);

// Both are closed at the end, the memory first: what is outstanding is saved.
await using store = new FileStore({ directory, name: 'chats', extraction: { trigger: new InvocationTrigger() } });
await using memory = new MemoryManager({ stores: [store] });

const model = wrapLanguageModel({
  model: process.env.AI_GATEWAY_API_KEY ? gateway('openai/gpt-5-mini') : localModel(),
  middleware: memoryMiddleware(memory),
});
const { textStream } = streamText({ model, prompt: text, tools: memoryTools(memory), stopWhen: isStepCount(5) });
process.stdout.write(`process ${process.pid}\n  You:   ${text}\n  Agent: `);
for await (const part of textStream) process.stdout.write(part);
process.stdout.write('\n');
