/* Type tests: the bridge fits the published SDK. Only `tsc` checks this file (npm run typecheck). */
import { ConversationMemory } from '@keepsake/conversations';
import { type Embedder, MemoryManager, type MemoryModel } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import {
  type EmbeddingModel,
  gateway,
  type LanguageModel,
  type LanguageModelMiddleware,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { MockEmbeddingModelV3, MockEmbeddingModelV4, MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test';
import {
  aiSdkEmbedder,
  aiSdkModel,
  contextMiddleware,
  conversationChat,
  type MemoryMiddlewareOptions,
  memoryMiddleware,
  memoryTools,
} from '../src/index.ts';

const store = new InMemoryStore({ name: 'facts' });
const memory = new MemoryManager({ stores: [store] });
memoryMiddleware(memory) satisfies LanguageModelMiddleware;
memoryTools(memory) satisfies ToolSet;
({}) satisfies MemoryMiddlewareOptions;

memoryMiddleware(memory, { conversationId: process.env.THREAD });
const conversations = new ConversationMemory({ store, fullSessionMemory: true });
const chat = conversationChat(conversations);
type Metadata = UIMessage<{ readonly from: string }>;
chat.messages<Metadata>('chat', { userId: 'alice' }) satisfies Promise<Metadata[]>;
// @ts-expect-error a memory manager has no conversations
conversationChat(memory);

const middleware = memoryMiddleware(memory, { conversationId: 'thread-42' });
const model = wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: [middleware] });
model satisfies LanguageModel;
wrapLanguageModel({ model: new MockLanguageModelV3(), middleware });
streamText({ model, prompt: 'x', tools: { ...memoryTools(memory) } });
new ToolLoopAgent({ model, tools: memoryTools(memory) });

declare const anyModel: LanguageModel;
for (const each of [anyModel, model, gateway('a/b'), 'a/b', new MockLanguageModelV3()]) {
  aiSdkModel(each) satisfies MemoryModel;
}
new MemoryManager({ stores: [store], model: aiSdkModel(model) });
declare const anyEmbedding: EmbeddingModel;
for (const each of [anyEmbedding, gateway.embeddingModel('a/b'), 'a/b', new MockEmbeddingModelV3()]) {
  aiSdkEmbedder(each, { dimensions: 2 }) satisfies Embedder;
}
new InMemoryStore({ name: 'facts', embedder: aiSdkEmbedder(new MockEmbeddingModelV4(), { dimensions: 2 }) });

contextMiddleware({ render: () => 'x' }) satisfies LanguageModelMiddleware;
contextMiddleware({
  render: async ({ messages, params, signal }) => `${messages.length} ${params.headers?.user} ${signal.aborted}`,
  trigger: ({ params }) => params.tools !== undefined,
});

// @ts-expect-error vectors need a length
aiSdkEmbedder('a/b');
// @ts-expect-error an embedding model is not a language model
aiSdkModel(new MockEmbeddingModelV4());
// @ts-expect-error the text is required
contextMiddleware({ trigger: 'everyTurn' });
// @ts-expect-error the memory is required
memoryMiddleware();
// @ts-expect-error a store is not a memory manager
memoryTools(store);
