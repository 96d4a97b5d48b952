import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';
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
      title: 'permanent refusals are not retryable',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron' });
        const closed = harness.open({ namespace: ['closed'] });
        await closed.close();
        const calls = {
          INVALID_ARGUMENT: () => store.put({ content: ' ' }),
          TOO_LARGE: () => store.put({ content: SECRET.repeat(100_000) }),
          CONFLICT: () => store.put({ id: 'one', content: 'heron' }, { ifVersion: 0 }),
          READ_ONLY: () => harness.open({ writable: false }).put({ content: 'heron' }),
          CLOSED: () => closed.get('one'),
        } as const;
        for (const [code, call] of Object.entries(calls)) {
          const error: unknown = await call().catch((error: unknown) => error);
          assert.ok(isMemoryError(error, code as keyof typeof calls), `Expected ${code}, not ${String(error)}`);
          assert.notEqual(error.retryable, true, code);
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
      title: 'a store without enumeration refuses to list records and namespaces, and to search below',
      when: ({ enumerate }) => !enumerate,
      async run(harness) {
        const store = harness.open();
        await refuses('UNSUPPORTED', () => store.list());
        await refuses('UNSUPPORTED', () => store.list({ limit: 1, order: 'oldest' }));
        await refuses('UNSUPPORTED', () => store.namespaces());
        await refuses('UNSUPPORTED', () => store.namespaces({ segment: 'alice' }));
        await refuses('UNSUPPORTED', () => store.search('heron', { descendants: true }));
      },
    },
    {
      title: 'a store without filters refuses a filter in search instead of ignoring it',
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
