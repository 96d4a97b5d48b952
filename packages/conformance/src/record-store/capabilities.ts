import assert from 'node:assert/strict';
import { heldIds, type RecordStoreCases, refuses, SECRET } from './helpers.ts';

export const declared: RecordStoreCases = {
  concern: 'Capabilities',
  cases: [
    {
      title: 'a store declares its capabilities, at every place and for every instance',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const one of [store, store.within(['a']), harness.open({ writable: false })]) {
          assert.deepEqual({ ...one.capabilities }, { ...capabilities });
        }
      },
    },
    {
      title: 'a store without time to live refuses it, and writes nothing',
      when: ({ ttl }) => !ttl,
      async run(harness, capabilities) {
        const store = harness.open();
        const record = { content: `heron ${SECRET}`, ttlMs: 1_000 };
        await refuses('UNSUPPORTED', () => store.put(record));
        await refuses('UNSUPPORTED', () => store.putMany([{ content: 'heron' }, record]));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'a store that can not enumerate refuses to list records and namespaces',
      when: ({ enumerate }) => !enumerate,
      async run(harness) {
        const store = harness.open();
        await refuses('UNSUPPORTED', () => store.list());
        await refuses('UNSUPPORTED', () => store.list({ limit: 1, order: 'oldest' }));
        await refuses('UNSUPPORTED', () => store.namespaces());
      },
    },
    {
      title: 'a store that can not filter refuses a filter in search, rather than ignore it',
      when: ({ filter }) => !filter,
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron', metadata: { user: 'Ada' } });
        for (const filter of [{ user: 'Ada' }, { user: SECRET }, { createdAt: { gt: '2001-01-01' } }]) {
          await refuses('UNSUPPORTED', () => store.search('heron', { filter }));
        }
      },
    },
    {
      title: 'a store that can list but not filter refuses a filter in list',
      when: ({ filter, enumerate }) => !filter && enumerate,
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron', metadata: { user: 'Ada' } });
        await refuses('UNSUPPORTED', () => store.list({ filter: { user: SECRET } }));
      },
    },
  ],
};
