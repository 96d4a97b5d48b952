/* Type tests: the bridge fits the published SDK. Only `tsc` checks this file (npm run typecheck). */
import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import {
  type LanguageModel,
  type LanguageModelMiddleware,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  wrapLanguageModel,
} from 'ai';
import { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test';
import { type MemoryMiddlewareOptions, memoryMiddleware, memoryTools } from '../src/index.ts';

const store = new InMemoryStore({ name: 'facts' });
const memory = new MemoryManager({ stores: [store] });
memoryMiddleware(memory) satisfies LanguageModelMiddleware;
memoryTools(memory) satisfies ToolSet;
({}) satisfies MemoryMiddlewareOptions;

memoryMiddleware(memory, { conversationId: process.env.THREAD });
const middleware = memoryMiddleware(memory, { conversationId: 'thread-42' });
const model = wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: [middleware] });
model satisfies LanguageModel;
wrapLanguageModel({ model: new MockLanguageModelV3(), middleware });
streamText({ model, prompt: 'x', tools: { ...memoryTools(memory) } });
new ToolLoopAgent({ model, tools: memoryTools(memory) });

// @ts-expect-error the memory is required
memoryMiddleware();
// @ts-expect-error a store is not a memory manager
memoryTools(store);
