import { isMemoryError } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { damageRecords } from '@keepsake/testing/fuzz/damaged-records';
import { each } from '@keepsake/testing/fuzz/each';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { emptyCheckpoint, InvalidNamespaceError } from '@langchain/langgraph-checkpoint';
import { KeepsakeSaver, KeepsakeStore } from '../../src/index.ts';
import { withStrangePlace } from '../support/strange-places.ts';

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
  {
    namespace: ['users', 'alice'],
    key: 'k',
    value: { text: 'Likes rye.', n: 1 },
    index: ['text', 'tags[*].a'],
    ttlMs: 60_000,
  },
  { namespace: ['users', 'bob'], key: 'k', value: null },
  { namespace: ['users', 'alice'], key: 'k' },
  { namespacePrefix: ['users'], filter: { n: { $gte: 1 } }, query: 'rye', limit: 3, offset: 0 },
  { matchConditions: [{ matchType: 'prefix', path: ['users', '*'] }], maxDepth: 2, limit: 5, offset: 0 },
];

/** Batches of any structure. One that is refused must leave the store as it was. */
export const batches = fuzzTarget({
  inputs: 500,
  // In an object, because a value that throws must not be awaited.
  input: (random) => ({ operations: strange(random, OPERATIONS) as never }),
  isRefusal: (error) => error instanceof InvalidNamespaceError,
  async run({ operations }) {
    const records = new InMemoryStore({ name: 'items' });
    await new KeepsakeStore({ store: records }).batch(operations).catch(async (error) => {
      const { items } = await records.list({ descendants: true });
      if (items.length > 0) throw new Error('A batch was refused after some of it was applied.', { cause: error });
      throw error;
    });
  },
});

const SAVED = {
  config: { configurable: { ...CONFIG.configurable, checkpoint_id: 'c' } },
  checkpoint: { ...emptyCheckpoint(), id: 'c', channel_values: { a: [1], b: 'x' }, channel_versions: { a: 1, b: '2' } },
  metadata: { source: 'input', step: -1, parents: {} },
  newVersions: { a: 1 },
  writes: [
    ['a', [2]],
    ['__error__', 'late'],
  ],
  task: 'task',
  options: { limit: 3, before: { configurable: { checkpoint_id: 'd' } }, filter: { source: 'input' } },
};

/** Arguments of any structure. What was stored must be read again. */
export const saverArguments = fuzzTarget({
  inputs: 500,
  input: (random) => ({ given: strange(random, SAVED) }),
  async run({ given }) {
    const saver = new KeepsakeSaver({ store: new InMemoryStore({ name: 'threads' }) });
    const { config, checkpoint, metadata, newVersions, writes, task, options } = readFields(given);
    await each(
      [
        saver.put(config, checkpoint, metadata, newVersions),
        saver.putWrites(config, writes, task),
        saver.getTuple(config),
        saver.deleteThread(task),
        saver.getDeltaChannelHistory({ config, channels: writes }),
        drain(saver.list(config, options)),
      ],
      isMemoryError,
    );
    await drain(saver.list({}));
  },
});

async function drain(tuples: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of tuples);
}

function strange(random: Random, value: unknown): unknown {
  return random.chance(0.5) ? mutateJson(random, value) : withStrangePlace(random, value);
}

/** The arguments that can be read: reading them is not the work of the saver. */
function readFields(given: unknown): Record<keyof typeof SAVED, never> {
  const read = Object.keys(SAVED).map((name) => {
    try {
      return [name, (given as Record<string, unknown>)[name]];
    } catch {
      return [name, undefined];
    }
  });
  return Object.fromEntries(read);
}

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
