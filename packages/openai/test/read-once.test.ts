import { InMemorySession } from '@keepsake/in-memory';
import { readsValuesOnce } from '@keepsake/testing';
import {
  compacting,
  OpenAIConversationsSession,
  OpenAIVectorStore,
  openaiEmbedder,
  openaiModel,
} from '../src/index.ts';

/** Clients are passed by reference. */
const client = Object.create({
  conversations: { items: { create: async () => ({}) } },
  responses: { create: async () => ({}), compact: async () => ({}) },
  embeddings: {
    create: async ({ input }: { readonly input: readonly string[] }) => ({
      data: input.map((_, index) => ({ index, embedding: [1, 0, 0] })),
    }),
  },
  vectorStores: { search: async (_id: string, body: object) => ({ data: [], body }) },
});
const model = 'gpt-5-mini';
const identity = { name: 'facts', description: 'Facts.', maxSearchResults: 3, writable: true, extraction: false };
const given = { client, vectorStoreId: 'vs_1', ...identity, namespace: ['u', 'alice'], indexDeadlineMs: 5 };
const store = new OpenAIVectorStore(given);
const archive = new InMemorySession();
const session = compacting(new InMemorySession(), { client, model, threshold: 10, archive });
const shownOf = ({ name, description, maxSearchResults, writable, namespace }: OpenAIVectorStore) => {
  return { name, description, maxSearchResults, writable, namespace };
};
const filter = { topic: { in: ['tea'] } };

readsValuesOnce([
  ['new OpenAIVectorStore', (options) => shownOf(new OpenAIVectorStore(options)), given],
  ['OpenAIVectorStore.search', (options) => store.search('tea', options), { maxSearchResults: 2, minScore: 1, filter }],
  ['OpenAIVectorStore.within', (options) => shownOf(store.within(['a'], options)), { name: 'b', writable: false }],
  ['OpenAIVectorStore.within, its segments', (segments) => shownOf(store.within(segments)), ['a', 'b']],
  [
    'new OpenAIConversationsSession',
    (options) => new OpenAIConversationsSession(options).conversationId,
    { client, conversationId: 'conv_1' },
  ],
  ['openaiModel', (options) => typeof openaiModel(options).generate, { client, model }],
  ['openaiEmbedder', (options) => openaiEmbedder(options).id, { client, model, dimensions: 3 }],
  ['embed', (texts) => openaiEmbedder({ client, model, dimensions: 3 }).embed(texts), ['tea', 'milk']],
  [
    'compacting',
    (options) => compacting(new InMemorySession(), options).getItems(),
    { client, model, archive, threshold: 1 },
  ],
  ['runCompaction', (options) => session.runCompaction(options), { force: true }],
]);
