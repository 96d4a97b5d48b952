import { InMemorySession } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { expect, it } from 'vitest';
import {
  compacting,
  OpenAIConversationsSession,
  OpenAIVectorStore,
  openaiEmbedder,
  openaiModel,
} from '../src/index.ts';

const client = {
  conversations: { items: { create: async () => ({}) } },
  responses: { create: async () => ({}), compact: async () => ({}) },
  embeddings: { create: async () => ({}) },
  vectorStores: { search: async () => ({}) },
} as never;
const model = 'gpt-5-mini';
const given = { client, vectorStoreId: 'vs_1', name: 'facts', namespace: ['u', 'alice'] };
const store = new OpenAIVectorStore(given);
const archive = new InMemorySession();
const session = compacting(new InMemorySession(), { client, model, threshold: 10, archive });

refusesUnknownOptions([
  ['new OpenAIVectorStore', (options) => new OpenAIVectorStore(options), { ...given, nameSpace: [] }, 'namespace'],
  ['OpenAIVectorStore.search', (options) => store.search('tea', options), { minscore: 1 }, 'minScore'],
  ['OpenAIVectorStore.add', (options) => store.add('tea', {}, options), { Signal: null }, 'signal'],
  ['OpenAIVectorStore.within', (options) => store.within(['a'], options), { writeable: false }, 'writable'],
  [
    'new OpenAIConversationsSession',
    (options) => new OpenAIConversationsSession(options),
    { client, conversationID: 'conv_1' },
    'conversationId',
  ],
  ['openaiModel', (options) => openaiModel(options), { client, model, modell: 'x' }, 'model'],
  ['openaiEmbedder', (options) => openaiEmbedder(options), { client, model, dimension: 3 }, 'dimensions'],
  [
    'compacting',
    (options) => compacting(new InMemorySession(), options),
    { client, model, archive, treshold: 1 },
    'threshold',
  ],
  ['runCompaction', (options) => session.runCompaction(options), { forced: true }, 'force'],
]);

it('runCompaction ignores the options of the OpenAI Agents SDK', async () => {
  const options = { responseId: 'resp_1', compactionMode: 'input', store: false };
  expect(await session.runCompaction(options as never)).toBe(null);
});
