import { isMemoryError } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { damageRecords } from '@keepsake/testing/fuzz/damaged-records';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { KeepsakeSaver, KeepsakeStore } from '../../src/index.ts';

const CONFIG = { configurable: { thread_id: 't', checkpoint_ns: '' } };

async function savedIn(store: InMemoryStore): Promise<void> {
  const saver = new KeepsakeSaver({ store });
  const checkpoint = { ...emptyCheckpoint(), channel_values: { a: [1], b: 'x'.repeat(70_000) } };
  const versions = { a: 1, b: 1 };
  const saved = { ...checkpoint, channel_versions: versions };
  const config = await saver.put(CONFIG, saved, { source: 'input', step: -1, parents: {} }, versions);
  await saver.putWrites(config, [['a', [2]]], 'task');
}

export const damagedThreads = fuzzTarget({
  inputs: 300,
  input: (random) => random.whole(2 ** 31),
  async run(seed) {
    const store = new InMemoryStore({ name: 'threads' });
    await savedIn(store);
    await damageRecords(new Random(seed), store);
    const saver = new KeepsakeSaver({ store });
    await saver.getTuple(CONFIG).catch((error) => {
      if (!isMemoryError(error)) throw error;
    });
    for await (const _ of saver.list(CONFIG));
  },
});

export const configs = fuzzTarget({
  input: (random) => mutateJson(random, { configurable: { ...CONFIG.configurable, checkpoint_id: 'c' } }) as never,
  async run(config) {
    const saver = new KeepsakeSaver({ store: new InMemoryStore({ name: 'threads' }) });
    await saver.getTuple(config);
    for await (const _ of saver.list(config, { limit: 3 }));
    await saver.putWrites(config, [['a', 1]], 'task');
  },
});

const OPERATIONS = [
  { namespace: ['users', 'alice'], key: 'k', value: { text: 'Likes rye.', n: 1 } },
  { namespace: ['users', 'alice'], key: 'k' },
  { namespacePrefix: ['users'], filter: { n: { $gte: 1 } }, query: 'rye', limit: 3, offset: 0 },
  { matchConditions: [{ matchType: 'prefix', path: ['users', '*'] }], maxDepth: 2, limit: 5, offset: 0 },
];

/** The texts and values of operations. Their structure comes from the program, and LangGraph checks it. */
const PARTS = {
  label: 'alice',
  key: 'k',
  value: { text: 'Likes rye.', n: 1 },
  filter: { n: { $gte: 1 } },
  query: 'rye',
};

export const operations = fuzzTarget({
  inputs: 500,
  input: (random) => ({
    ...PARTS,
    label: mutateText(random, PARTS.label),
    key: mutateText(random, PARTS.key),
    query: mutateText(random, PARTS.query),
    value: mutateJson(random, PARTS.value) as Record<string, unknown>,
    filter: mutateJson(random, PARTS.filter) as never,
  }),
  isRefusal: (error) => error instanceof Error && error.name === 'InvalidNamespaceError',
  async run({ label, key, value, filter, query }) {
    const store = new KeepsakeStore({ store: new InMemoryStore({ name: 'items' }) });
    await store.put(['users', label], key, value);
    await store.get(['users', label], key);
    await store.search(['users'], { filter, query });
    await store.listNamespaces({ prefix: ['users', '*'] });
  },
});

export const damagedItems = fuzzTarget({
  inputs: 300,
  input: (random) => random.whole(2 ** 31),
  async run(seed) {
    const store = new InMemoryStore({ name: 'items' });
    const items = new KeepsakeStore({ store });
    await items.batch([OPERATIONS[0], { ...OPERATIONS[0], key: 'l' }] as never);
    await damageRecords(new Random(seed), store);
    await items.batch(OPERATIONS as never);
  },
});
