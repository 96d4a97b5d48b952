import assert from 'node:assert/strict';
import { isMemoryError, type RecordInput } from '@keepsake/core';
import { LIMITS, putCount } from '@keepsake/core/adapter';
import { heldIds, listAll, type RecordStoreCases, range, refuses, SECRET } from './helpers.ts';

/** A batch whose second-last record is invalid. */
function batchWith(bad: unknown): RecordInput[] {
  return [
    { id: 'one', content: `heron ${SECRET}` },
    { id: 'two', content: `heron ${SECRET}` },
    bad as RecordInput,
    { id: 'four', content: `heron ${SECRET}` },
  ];
}

export const batches: RecordStoreCases = {
  concern: 'Batches',
  cases: [
    {
      title: 'putMany returns the stored records in the order of the batch',
      async run(harness) {
        const store = harness.open();
        const records = await store.putMany([
          { id: 'c', content: 'heron 1', metadata: { n: 1 } },
          { id: 'a', content: 'heron 2', turn: { thread: 'talk', index: 0 } },
          { id: 'b', content: 'heron 3' },
        ]);
        assert.deepEqual(
          records.map(({ id, content, version }) => [id, content, putCount(version)]),
          [
            ['c', 'heron 1', 1],
            ['a', 'heron 2', 1],
            ['b', 'heron 3', 1],
          ],
        );
        for (const record of records) assert.deepEqual(await store.get(record.id), record);
      },
    },
    {
      title: 'putMany creates its records in the order of the batch',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        const ids = ['c', 'a', 'd', 'b', 'e'];
        await store.putMany(ids.map((id) => ({ id, content: 'heron' })));
        assert.deepEqual(
          (await listAll(store, { order: 'oldest' })).map(({ id }) => id),
          ids,
        );
      },
    },
    {
      title: 'putMany of no records writes nothing',
      async run(harness, capabilities) {
        const store = harness.open();
        assert.deepEqual(await store.putMany([]), []);
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'putMany creates and replaces in one batch',
      async run(harness) {
        const store = harness.open();
        const before = await store.put({ id: 'old', content: 'heron', metadata: { a: 1 } });
        const [fresh, replaced] = await store.putMany([
          { id: 'new', content: 'crane' },
          { id: 'old', content: 'stork' },
        ]);
        assert.equal(putCount(fresh?.version ?? 0), 1);
        assert.equal(replaced?.version, before.version + 1);
        assert.equal(replaced?.createdAt, before.createdAt);
        assert.deepEqual(await store.get('old'), replaced);
        assert.deepEqual(replaced?.metadata, {});
      },
    },
    {
      title: 'an id that appears twice in a batch is put twice',
      async run(harness) {
        const store = harness.open();
        const records = await store.putMany([
          { id: 'one', content: 'heron' },
          { id: 'two', content: 'heron' },
          { id: 'one', content: 'crane' },
        ]);
        assert.deepEqual(
          records.map(({ id, content, version }) => [id, content, putCount(version)]),
          [
            ['one', 'heron', 1],
            ['two', 'heron', 1],
            ['one', 'crane', 2],
          ],
        );
        assert.deepEqual(await store.get('one'), records[2]);
      },
    },
    {
      title: 'records of a batch without an id get one each',
      async run(harness, capabilities) {
        const store = harness.open();
        const records = await store.putMany(range(20).map(() => ({ content: 'heron' })));
        const ids = records.map(({ id }) => id).sort();
        assert.equal(new Set(ids).size, 20);
        assert.deepEqual(await heldIds(store, capabilities), ids);
      },
    },
    {
      title: 'a batch with a record that is refused writes nothing at all',
      async run(harness, capabilities) {
        const store = harness.open();
        const old = await store.put({ id: 'two', content: 'heron' });
        for (const bad of [undefined, { content: '' }, { id: '', content: 'heron' }, { id: 'x', content: 7 }]) {
          await refuses('INVALID_ARGUMENT', () => store.putMany(batchWith(bad)));
        }
        const cycle: Record<string, unknown> = {};
        cycle.self = cycle;
        await refuses('INVALID_ARGUMENT', () => store.putMany(batchWith({ content: 'heron', metadata: cycle })));
        assert.deepEqual(await heldIds(store, capabilities), ['two']);
        assert.deepEqual(await store.get('two'), old);
      },
    },
    {
      title: 'a batch with a record that is too large writes nothing at all',
      async run(harness, capabilities) {
        const store = harness.open();
        await refuses('TOO_LARGE', () => store.putMany(batchWith({ content: SECRET.repeat(100_000) })));
        const metadata = { long: SECRET.repeat(10_000) };
        await refuses('TOO_LARGE', () => store.putMany(batchWith({ content: 'heron', metadata })));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'a batch of more than 10,000 records is refused and writes nothing at all',
      async run(harness, capabilities) {
        const store = harness.open();
        const { batchRecords } = LIMITS;
        const records = Array.from({ length: batchRecords + 1 }, (_, n) => ({ id: `${n}`, content: 'heron' }));
        await refuses('TOO_LARGE', () => store.putMany(records));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'the records of a batch must be an array',
      async run(harness) {
        const store = harness.open();
        for (const records of [undefined, null, { id: 'one', content: 'heron' }, 'heron', new Set()]) {
          await refuses('INVALID_ARGUMENT', () => store.putMany(records as unknown as RecordInput[]));
        }
      },
    },
    {
      title: 'a batch with ifVersions is put if its records have these versions; 0 = it must not exist',
      when: ({ atomicBatch }) => atomicBatch,
      async run(harness) {
        const store = harness.open();
        const head = await store.put({ id: 'head', content: 'heron' });
        const batch = ['new', 'free', 'head', 'head'].map((id) => ({ id, content: `crane ${id}` }));
        const put = await store.putMany(batch, { ifVersions: { head: head.version, new: 0, none: undefined } });
        // The second put of an id replaces the first.
        assert.deepEqual(
          put.map(({ version }) => putCount(version)),
          [1, 1, 2, 3],
        );
        for (const record of [put[0], put[1], put[3]]) assert.deepEqual(await store.get(record?.id ?? ''), record);
      },
    },
    {
      title: 'a batch with a record of another version than in ifVersions is a conflict and writes nothing at all',
      when: ({ atomicBatch }) => atomicBatch,
      async run(harness, capabilities) {
        const store = harness.open();
        const head = await store.put({ id: 'head', content: 'heron' });
        const batch = ['first', 'head', 'last'].map((id) => ({ id, content: `crane ${SECRET}` }));
        for (const ifVersions of [
          { head: 0 },
          { head: head.version + 1 },
          { head: head.version, last: 1 },
          { first: head.version },
        ]) {
          await refuses('CONFLICT', () => store.putMany(batch, { ifVersions }));
        }
        await store.delete('head');
        await refuses('CONFLICT', () => store.putMany(batch, { ifVersions: { head: head.version } }));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'invalid ifVersions are refused, and so is one of an id that the batch has not',
      when: ({ atomicBatch }) => atomicBatch,
      async run(harness, capabilities) {
        const store = harness.open();
        const batch = [{ id: 'one', content: `heron ${SECRET}` }];
        const bad: readonly unknown[] = [
          null,
          7,
          'one',
          [0],
          { two: 0 },
          ...[-1, 0.5, '1', null].map((one) => ({ one })),
        ];
        for (const ifVersions of bad) {
          await refuses('INVALID_ARGUMENT', () => store.putMany(batch, { ifVersions } as never));
        }
        await refuses('INVALID_ARGUMENT', () => store.putMany([], { ifVersions: { one: 0 } }));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'of concurrent batches with the same ifVersions, one wins as a whole, and the others get a conflict',
      when: ({ atomicBatch }) => atomicBatch,
      async run(harness) {
        const stores = [harness.open(), harness.open()] as const;
        const { version } = await stores[0].put({ id: 'head', content: 'heron' });
        const outcomes = await Promise.allSettled(
          range(10).map((n) => {
            const batch = ['head', `part of ${n}`].map((id) => ({ id, content: `heron ${n}` }));
            return (stores[n % 2] as (typeof stores)[0]).putMany(batch, { ifVersions: { head: version } });
          }),
        );
        const winners = range(10).filter((n) => outcomes[n]?.status === 'fulfilled');
        assert.equal(winners.length, 1, `${winners.length} batches were put`);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') assert.ok(isMemoryError(outcome.reason, 'CONFLICT'), `${outcome.reason}`);
        }
        const store = harness.open();
        assert.equal((await store.get('head'))?.content, `heron ${winners[0]}`);
        for (const n of range(10)) assert.equal((await store.get(`part of ${n}`)) !== undefined, n === winners[0]);
      },
    },
    {
      title: 'ifVersions are refused where a batch is not atomic',
      when: ({ atomicBatch }) => !atomicBatch,
      async run(harness, capabilities) {
        const store = harness.open();
        const batch = [{ id: 'one', content: 'heron' }];
        await refuses('UNSUPPORTED', () => store.putMany(batch, { ifVersions: { one: 0 } }));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'a batch of 300 records is stored completely',
      async run(harness, capabilities) {
        const store = harness.open();
        const ids = range(300).map((number) => `record ${String(number).padStart(3, '0')}`);
        const records = await store.putMany(ids.map((id) => ({ id, content: `heron ${id}` })));
        assert.deepEqual(
          records.map(({ id }) => id),
          ids,
        );
        assert.deepEqual(await heldIds(harness.open(), capabilities), ids);
      },
    },
    {
      title: 'a large batch appears at once: whoever sees a record of it sees all of them',
      when: ({ atomicBatch, enumerate, consistency }) => atomicBatch && enumerate && consistency === 'strong',
      async run(harness) {
        const [writer, reader] = [harness.open(), harness.open()];
        const ids = range(700).map((number) => `record ${number}`);
        const words = range(8).map((number) => `word${number}`);
        let isDone = false;
        const put = writer.putMany(ids.map((id) => ({ id, content: `heron ${id} ${words.join(' ')}` }))).finally(() => {
          isDone = true;
        });
        do {
          // Reads that never wait would keep the write from going on.
          await new Promise((resolve) => setTimeout(resolve, 0));
          const { length } = (await reader.list({ limit: 1_000 })).items;
          assert.ok(length === 0 || length === ids.length, `A list has ${length} of ${ids.length} records of a batch`);
          const [first, last] = ['record 0', 'record 699'];
          for (const [seen, other] of [[first, last] as const, [last, first] as const]) {
            if (await reader.get(seen)) assert.ok(await reader.get(other), `${seen} is there, but not ${other}`);
          }
          if ((await reader.search('heron', { maxSearchResults: 1 })).length > 0) assert.ok(await reader.get(last));
        } while (!isDone);
        await put;
        assert.equal((await reader.list({ limit: 1_000 })).items.length, ids.length);
      },
    },
    {
      title: 'of two concurrent batches on the same ids, one wins as a whole',
      when: ({ atomicBatch }) => atomicBatch,
      async run(harness) {
        const stores = [harness.open(), harness.open()];
        const ids = range(20).map((number) => `record ${number}`);
        await Promise.all(
          stores.map((store, writer) => store.putMany(ids.map((id) => ({ id, content: `heron of ${writer}` })))),
        );
        const records = await Promise.all(ids.map((id) => harness.open().get(id)));
        assert.equal(new Set(records.map((record) => record?.content)).size, 1);
        assert.deepEqual(
          records.map((record) => putCount(record?.version ?? 0)),
          ids.map(() => 2),
        );
      },
    },
    {
      title: 'of two concurrent non-atomic batches on the same ids, each record is whole',
      when: ({ atomicBatch }) => !atomicBatch,
      async run(harness) {
        const stores = [harness.open(), harness.open()];
        const ids = range(20).map((number) => `record ${number}`);
        await Promise.all(
          stores.map((store, writer) =>
            store.putMany(ids.map((id) => ({ id, content: `heron of ${writer}`, metadata: { writer } }))),
          ),
        );
        for (const id of ids) {
          const record = await harness.open().get(id);
          assert.equal(record?.content, `heron of ${record?.metadata.writer}`);
        }
      },
    },
  ],
};
