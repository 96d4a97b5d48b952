import { type Filter, isMemoryError, type RecordInput } from '@keepsake/core';
import { each } from '@keepsake/testing/fuzz/each';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import { InMemorySessionStore, InMemoryStore } from '../../src/index.ts';

const RECORDS: readonly RecordInput[] = [
  { id: 'one', content: 'A heron stood in the river on Sunday.', metadata: { topic: 'birds', n: 1, seen: true } },
  { id: 'two', content: 'Ilse: Prefers aisle seats.', turn: { thread: 't', index: 1, speaker: 'Ilse' }, ttlMs: 60_000 },
  {
    id: 'three',
    content: '鳥は川にいた。Der Reiher.',
    createdAt: '2026-05-03T09:12:00Z',
    source: { conversation: 'c', run: 'r', speaker: 'user', kind: 'fact' },
  },
];

const FILTERS: readonly unknown[] = [
  { topic: 'birds', n: { gte: 1, lt: 10 } },
  { topic: { in: ['birds', 'food'] }, seen: { exists: true } },
  { createdAt: { gt: '2026-01-01' }, 'source.speaker': 'user' },
  { n: { ne: 3 } },
];

const QUERIES: readonly string[] = [
  'heron river',
  'When did I see a heron last Sunday?',
  '"exact words" OR -not *prefix* field:value',
  '川の鳥',
  'what does Ilse prefer in May 2026',
];

const OPTIONS = { maxSearchResults: 5, minScore: 0.1, explain: true };

async function filledStore(): Promise<InMemoryStore> {
  const store = new InMemoryStore({ name: 'test' });
  await store.putMany(RECORDS);
  return store;
}

const kept = filledStore();

export const filters = fuzzTarget({
  input: (random) => mutateJson(random, random.pick(FILTERS), FILTERS) as Filter,
  async run(filter) {
    const store = await kept;
    await store.search('heron', { filter });
    await store.list({ filter });
  },
});

export const queries = fuzzTarget({
  inputs: 500,
  input: (random) => ({ query: mutateText(random, random.pick(QUERIES), QUERIES), options: optionsOf(random) }),
  run: async ({ query, options }) => (await kept).search(query, options),
});

function optionsOf(random: Random): object {
  return random.chance(0.8) ? {} : (mutateJson(random, OPTIONS) as object);
}

export const contents = fuzzTarget({
  inputs: 500,
  input: (random) => mutateText(random, random.pick(RECORDS).content, QUERIES),
  async run(content) {
    const store = await filledStore();
    await store.add(content);
    await store.search(content.slice(0, 2000));
  },
});

export const records = fuzzTarget({
  inputs: 500,
  input: (random) => mutateJson(random, RECORDS, RECORDS) as RecordInput[],
  async run(inputs) {
    const store = await filledStore();
    await store.putMany(inputs);
    await store.search('heron');
    await store.list({ asOf: '2026-06-01T00:00:00Z' });
  },
});

const LISTS = { order: 'oldest', limit: 1, cursor: 'x', asOf: '2026-05-03T09:12:00Z', filter: {}, idPrefix: 't' };

export const lists = fuzzTarget({
  input: (random) => ({
    options: mutateJson(random, LISTS) as object,
    cut: random.whole(40),
    text: mutateText(random, ''),
  }),
  async run({ options, cut, text }) {
    const store = await kept;
    const { cursor = '' } = await store.list({ limit: 1 });
    const broken = cursor.slice(0, cut) + text;
    const answers = [store.list(options), store.list({ cursor: broken }), store.namespaces({ cursor: broken })];
    const sessions = new InMemorySessionStore().list({ cursor: broken });
    await each([...answers, sessions], isMemoryError);
  },
});

const MESSAGES = [
  { role: 'user', content: 'I moved to Ghent.' },
  { role: 'assistant', content: [{ text: 'Nice.' }, { toolUse: { name: 'a', toolUseId: 'b', input: {} } }] },
];

export const messages = fuzzTarget({
  input: (random) => ({
    messages: mutateJson(random, MESSAGES, MESSAGES) as never,
    context: mutateJson(random, { sequenceNumbers: [0, 1], runId: 'r', thread: 't' }) as object,
  }),
  run: ({ messages, context }) => new InMemoryStore({ name: 'test' }).addMessages(messages, context),
});
