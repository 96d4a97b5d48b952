import assert from 'node:assert/strict';
import type { RecordStore, StoreCapabilities } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { foundIds, type RecordStoreCases, range, refuses, SECRET } from './helpers.ts';

async function assertClosed(store: RecordStore, { enumerate }: StoreCapabilities): Promise<void> {
  const content = `heron ${SECRET}`;
  await refuses('CLOSED', () => store.get('one'));
  await refuses('CLOSED', () => store.search(content));
  await refuses('CLOSED', () => store.put({ content }));
  await refuses('CLOSED', () => store.putMany([{ content }]));
  await refuses('CLOSED', () => store.add(content));
  await refuses('CLOSED', () => store.addMessages([{ role: 'user', content }]));
  await refuses('CLOSED', () => store.delete('one'));
  await refuses('CLOSED', () => store.clear());
  if (store.compact !== undefined) await refuses('CLOSED', async () => store.compact?.());
  if (!enumerate) return;
  await refuses('CLOSED', () => store.list());
  await refuses('CLOSED', () => store.namespaces());
}

export const lifecycle: RecordStoreCases = {
  concern: 'Lifecycle',
  cases: [
    {
      title: 'initialize, if present, can be called twice and concurrently, and loses nothing',
      async run(harness) {
        const store = harness.open();
        await Promise.all([store.initialize?.(), store.initialize?.()]);
        const record = await store.put({ id: 'one', content: 'heron' });
        await store.initialize?.();
        await harness.open().initialize?.();
        assert.deepEqual(await store.get('one'), record);
      },
    },
    {
      title: 'a store works without initialize',
      async run(harness) {
        assert.equal(await harness.open().get('one'), undefined);
        assert.deepEqual(await harness.open({ namespace: ['a'] }).search('heron'), []);
        assert.equal(await harness.open({ namespace: ['b'] }).delete('one'), false);
        assert.equal(await harness.open({ namespace: ['c'] }).clear(), 0);
        assert.ok(await harness.open({ namespace: ['d'] }).put({ content: 'heron' }));
      },
    },
    {
      title: 'a closed store refuses every call',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron' });
        await store.close();
        await assertClosed(store, capabilities);
      },
    },
    {
      title: 'an unused store can be closed',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.close();
        await assertClosed(store, capabilities);
      },
    },
    {
      title: 'closing twice or concurrently is not an error',
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron' });
        await Promise.all([store.close(), store.close()]);
        await store.close();
        await store[Symbol.asyncDispose]();
      },
    },
    {
      title: 'disposing of a store closes it',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron' });
        await store[Symbol.asyncDispose]();
        await assertClosed(store, capabilities);
      },
    },
    {
      title: 'closing one instance does not affect the others',
      async run(harness) {
        const [one, other] = [harness.open(), harness.open()];
        await one.put({ id: 'one', content: 'heron' });
        await other.get('one');
        await one.close();
        assert.ok(await other.get('one'));
        await other.put({ id: 'two', content: 'heron' });
        assert.deepEqual((await foundIds(other, 'heron')).sort(), ['one', 'two']);
        assert.ok(await harness.open().get('two'));
      },
    },
    {
      title: 'closing a store from within does not affect its parent',
      async run(harness, capabilities) {
        const store = harness.open();
        const below = store.within(['a']);
        await below.put({ id: 'one', content: 'heron' });
        await below.close();
        await assertClosed(below, capabilities);
        await store.put({ id: 'two', content: 'heron' });
        assert.ok(await store.within(['a']).get('one'));
      },
    },
    {
      title: 'close waits for writes in flight',
      async run(harness) {
        const store = harness.open();
        const writes = range(10).map((number) => store.put({ id: `record ${number}`, content: 'heron' }));
        await store.close();
        const records = await Promise.all(writes);
        const reader = harness.open();
        for (const record of records) assert.deepEqual(await reader.get(record.id), record);
      },
    },
    {
      title: 'close waits for writes of every kind',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'replaced', content: 'heron' });
        await store.put({ id: 'deleted', content: 'heron' });
        let settled = 0;
        const writes = [
          store.put({ id: 'replaced', content: 'bittern' }),
          store.putMany([{ id: 'one', content: 'bittern' }]),
          store.add?.('bittern'),
          store.addMessages?.([{ role: 'user', content: 'bittern' }], { runId: 'run', sequenceNumbers: [1] }),
          store.delete('deleted'),
        ].map((write) => Promise.resolve(write).finally(() => settled++));
        await store.close();
        assert.equal(settled, writes.length, 'close returned before the writes in flight');
        await Promise.all(writes);
      },
    },
    {
      title: 'records outlive the instance that wrote them',
      async run(harness) {
        const store = harness.open();
        const record = await store.put({ id: 'one', content: 'heron', metadata: { a: 1 } });
        await store.close();
        const next = harness.open();
        assert.deepEqual(await next.get('one'), record);
        assert.deepEqual(await foundIds(next, 'heron'), ['one']);
        assert.equal(putCount((await next.put({ id: 'one', content: 'heron' })).version), 2);
      },
    },
  ],
};
