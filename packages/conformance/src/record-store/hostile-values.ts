import assert from 'node:assert/strict';
import type { Filter, JsonObject, MemoryRecord, RecordInput, RecordStore, StoreCapabilities } from '@keepsake/core';
import fc from 'fast-check';
import { readsOnce, refusesThrowing, unfitObjects, withHidden } from '../hostile-values.ts';
import { foundIds, heldIds, type RecordStoreCases, refuses } from './helpers.ts';

/** A valid record with every field that the store allows. */
function fullRecord({ ttl, history }: StoreCapabilities): RecordInput {
  return {
    id: 'full',
    content: 'A heron waits',
    metadata: { bird: 'heron', seen: [{ at: 'dawn' }, 2] },
    createdAt: '2026-11-20T08:00:00.000Z',
    index: true,
    turn: { thread: 'walk', index: 3, speaker: 'user' },
    source: { conversation: 'walk', run: 'one', speaker: 'user', kind: 'fact' },
    ...(ttl && { ttlMs: 1_000_000 }),
    ...(history && { validFrom: '2026-11-20T08:00:00.000Z' }),
  };
}

const MESSAGES = [{ role: 'user' as const, content: [{ text: 'A heron' }, { text: 'waits' }] }];
const CONTEXT = { sequenceNumbers: [1], runId: 'run', thread: 'thread' };

/** What a put stored, without what each put changes. */
function stored({ version, updatedAt, expiresAt, ...record }: MemoryRecord): object {
  return record;
}

/** Options of searches and lists that find a record with the metadata `{ bird: 'heron' }`. */
function readOptions({ filter }: StoreCapabilities): { readonly filter?: Filter } {
  return filter ? { filter: { bird: { in: ['heron', 'egret'] }, seen: { exists: true } } } : {};
}

export const hostileValues: RecordStoreCases = {
  concern: 'Hostile values',
  cases: [
    {
      title: 'a write whose arguments throw when they are read is refused, and nothing is stored',
      async run(harness, capabilities) {
        const store = harness.open();
        const full = fullRecord(capabilities);
        await refusesThrowing(full, (record) => store.put(record));
        await refusesThrowing({ ifVersion: 0 }, (options) => store.put(full, options));
        await refusesThrowing([full, { content: 'A heron flies' }], (records) => store.putMany(records));
        if (capabilities.atomicBatch) {
          await refusesThrowing({ ifVersions: { full: 0 } }, (options) => store.putMany([full], options));
        }
        await refusesThrowing({ bird: [{ name: 'heron' }] }, (metadata) => store.add('A heron', metadata));
        await refusesThrowing(MESSAGES, (messages) => store.addMessages(messages, CONTEXT));
        await refusesThrowing(CONTEXT, (context) => store.addMessages(MESSAGES, context));
        assert.deepEqual(await heldIds(store, capabilities), []);
        const record = await store.put(full);
        await refusesThrowing({ ifVersion: 1 }, (options) => store.delete('full', options));
        await refusesThrowing({ descendants: false }, (options) => store.clear(options));
        assert.deepEqual(await store.get('full'), record);
      },
    },
    {
      title: 'a read whose arguments throw when they are read is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        const options = { maxSearchResults: 5, minScore: 0, ...readOptions(capabilities) };
        await refusesThrowing(options, (broken) => store.search('heron', broken));
        if (capabilities.history) {
          await refusesThrowing({ asOf: '2026-11-20T08:00:00Z' }, (broken) => store.get('a', broken));
        }
        await refusesThrowing(['user', 'alice'], async (segments) => store.within(segments));
        await refusesThrowing({ name: 'notes', maxSearchResults: 3 }, async (identity) => store.within([], identity));
      },
    },
    {
      title: 'a list whose options throw when they are read is refused',
      when: ({ enumerate }) => enumerate,
      async run(harness, capabilities) {
        const store = harness.open();
        const options = { limit: 5, order: 'oldest' as const, idPrefix: 'a', ...readOptions(capabilities) };
        await refusesThrowing(options, (broken) => store.list(broken));
        await refusesThrowing({ limit: 5, empty: true, segment: 'a', notBelow: ['a'] }, (broken) =>
          store.namespaces(broken),
        );
      },
    },
    {
      title: 'a write reads each value once: what it has checked is what it stores',
      async run(harness, capabilities) {
        const store = harness.open();
        const full = fullRecord(capabilities);
        await readsOnce(full, async (record) => stored(await store.put(record)));
        await readsOnce([full], async (records) => (await store.putMany(records)).map(stored));
        if (capabilities.atomicBatch) {
          const ifVersions = { full: undefined, none: undefined };
          await readsOnce({ ifVersions }, async (options) => (await store.putMany([full], options)).map(stored));
        }
        assert.deepEqual(stored((await store.get('full')) as MemoryRecord), stored(await store.put(full)));
        await readsOnce({ bird: [{ name: 'heron' }] }, async (metadata) =>
          stored(await store.add('A heron flies', metadata)),
        );
        await readsOnce(MESSAGES, async (messages) => (await store.addMessages(messages, CONTEXT)).map(stored));
        await readsOnce(CONTEXT, async (context) => (await store.addMessages(MESSAGES, context)).map(stored));
        await readsOnce({ ifVersion: 7 }, (options) => store.delete('none', options));
        assert.equal((await heldIds(store, capabilities)).length, 3);
      },
    },
    {
      title: 'a read reads each value once',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.put({ id: 'a', content: 'A heron', metadata: { bird: 'heron', seen: 1 } });
        await store.put({ id: 'b', content: 'A heron', metadata: { bird: 'crane', seen: 1 } });
        const options = { maxSearchResults: 5, minScore: 0, ...readOptions(capabilities) };
        await readsOnce(options, (shifting) => foundIds(store, 'heron', shifting));
        await readsOnce(['user', 'alice'], async (segments) => store.within(segments).namespace);
        await readsOnce({ name: 'notes', writable: false }, async (identity) => {
          const { name, writable } = store.within([], identity);
          return { name, writable };
        });
        if (!capabilities.enumerate) return;
        const page = { limit: 5, order: 'oldest' as const, ...readOptions(capabilities) };
        await readsOnce(page, async (shifting) => (await store.list(shifting)).items);
      },
    },
    {
      title: 'fields that are not enumerable are refused, not left out',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const metadata of [
          withHidden({ a: 1 }, 'b', 2),
          { in: [withHidden({}, 'b', 2)] },
          { in: withHidden([1], 'b', 2) },
        ]) {
          const hidden = metadata as unknown as JsonObject;
          await refuses('INVALID_ARGUMENT', () => store.put({ content: 'heron', metadata: hidden }));
          await refuses('INVALID_ARGUMENT', () => store.putMany([{ content: 'heron', metadata: hidden }]));
          await refuses('INVALID_ARGUMENT', () => store.add('heron', hidden));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
        await refuses('INVALID_ARGUMENT', () => store.search('heron', withHidden({}, 'maxResults', 1)));
        if (!capabilities.filter) return;
        for (const filter of [withHidden({}, 'user', 'ada'), { user: withHidden({ exists: true }, 'in', ['ada']) }]) {
          await refuses('INVALID_ARGUMENT', () => store.search('heron', { filter }));
        }
      },
    },
    {
      title: 'lists are read by their indexes, whatever their iterators and methods do',
      async run(harness) {
        const store = harness.open();
        const lying = <T>(...items: T[]): T[] => {
          const none = () => [][Symbol.iterator]();
          class Liar extends Array<T> {}
          Object.assign(Liar.prototype, { [Symbol.iterator]: none, map: none, every: () => true, entries: none });
          return Liar.from(items) as T[];
        };
        const records = await store.putMany(lying({ id: 'a', content: 'A heron' }, { id: 'b', content: 'A crane' }));
        assert.deepEqual(
          records.map(({ id }) => id),
          ['a', 'b'],
        );
        await refuses('INVALID_ARGUMENT', () => store.putMany(lying({ content: 'A heron' }, {} as RecordInput)));
        assert.deepEqual(store.within(lying('user', 'alice')).namespace.slice(-2), ['user', 'alice']);
        await refuses('INVALID_ARGUMENT', async () => store.within(lying('user', '')));
      },
    },
    {
      title: 'any metadata with a part that is not JSON or that throws is refused, and nothing is stored',
      async run(harness, capabilities) {
        const store: RecordStore = harness.open();
        await fc.assert(
          fc.asyncProperty(unfitObjects, async (make) => {
            const metadata = make() as JsonObject;
            await refuses('INVALID_ARGUMENT', () => store.put({ content: 'heron', metadata }));
            await refuses('INVALID_ARGUMENT', () => store.putMany([{ content: 'heron' }, { content: 'x', metadata }]));
            await refuses('INVALID_ARGUMENT', () => store.add('heron', metadata));
          }),
          { numRuns: 60 },
        );
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
  ],
};
