import assert from 'node:assert/strict';
import { isMemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { heldIds, listAll, onlyWhere, type RecordStoreCases, range } from './helpers.ts';

/** Increments a counter, and retries after a conflict. */
async function countUp(store: RecordStore): Promise<void> {
  for (let attempts = 0; attempts < 500; attempts++) {
    const record = await store.get('counter');
    const count = Number(record?.metadata.count ?? 0) + 1;
    try {
      await store.put({ id: 'counter', content: 'heron', metadata: { count } }, { ifVersion: record?.version ?? 0 });
      return;
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT')) throw error;
    }
  }
  assert.fail('No writer succeeded: one must win each race');
}

export const concurrency: RecordStoreCases = {
  concern: 'Concurrency',
  cases: [
    {
      title: 'many instances can be used concurrently for the first time',
      async run(harness, capabilities) {
        const ids = range(16).map((number) => `record ${number + 10}`);
        await Promise.all(
          ids.map(async (id) => {
            const store = harness.open({ namespace: ['fresh'] });
            await store.put({ id, content: 'heron' });
            await store.search('heron');
          }),
        );
        assert.deepEqual(await heldIds(harness.open({ namespace: ['fresh'] }), capabilities), ids);
      },
    },
    {
      title: 'concurrent batches are all stored completely',
      async run(harness, capabilities) {
        const stores = [harness.open(), harness.open()];
        const ids = range(10).map((batch) => range(5).map((number) => `record ${batch} ${number}`));
        const writes = ids.map((batch, index) =>
          (stores[index % 2] as RecordStore).putMany(batch.map((id) => ({ id, content: `heron ${id}` }))),
        );
        const results = await Promise.all(writes);
        assert.deepEqual(
          results.map((records) => records.map(({ id }) => id)),
          ids,
        );
        assert.deepEqual(await heldIds(harness.open(), capabilities), ids.flat().sort());
      },
    },
    {
      title: 'records of concurrent batches are listed in the order of their batch',
      when: ({ enumerate, consistency }) => enumerate && consistency === 'strong',
      async run(harness) {
        const stores = [harness.open(), harness.open()];
        await Promise.all(
          range(8).map((batch) =>
            (stores[batch % 2] as RecordStore).putMany(
              range(5).map((number) => ({ id: `${batch} ${number}`, content: 'heron' })),
            ),
          ),
        );
        const ids = (await listAll(harness.open(), { order: 'oldest', limit: 7 })).map(({ id }) => id);
        for (const batch of range(8)) {
          assert.deepEqual(
            ids.filter((id) => id.startsWith(`${batch} `)),
            range(5).map((number) => `${batch} ${number}`),
          );
        }
      },
    },
    {
      title: 'the records of a batch are adjacent in a list, whatever is put concurrently',
      when: ({ atomicBatch, enumerate, consistency }) => atomicBatch && enumerate && consistency === 'strong',
      async run(harness) {
        const stores = range(4).map(() => harness.open());
        const putBatch = (batch: number) =>
          stores[batch % 4]?.putMany(range(60).map((number) => ({ id: `${batch} ${number}`, content: 'heron' })));
        await Promise.all(range(16).map(putBatch));
        const ids = (await listAll(harness.open(), { order: 'oldest', limit: 1_000 })).map(({ id }) => id);
        const batchOf = (id: string | undefined) => id?.split(' ')[0];
        const changes = ids.filter((id, place) => batchOf(id) !== batchOf(ids[place - 1]));
        assert.equal(changes.length, 16, 'Between the records of a batch, there is one of another');
      },
    },
    {
      title: 'concurrent puts, deletes and searches affect no other record',
      async run(harness, capabilities) {
        const stores = [harness.open(), harness.open()] as const;
        const ids = range(24).map((number) => `record ${number + 10}`);
        await stores[0].putMany(ids.map((id) => ({ id, content: 'heron' })));
        await Promise.all(
          ids.map(async (id, index) => {
            const store = stores[index % 2] as RecordStore;
            if (index % 3 === 0) await store.delete(id);
            else if (index % 3 === 1) await store.put({ id, content: `heron again ${index}` });
            else await store.search('heron');
          }),
        );
        assert.deepEqual(
          await heldIds(harness.open(), capabilities),
          ids.filter((_, index) => index % 3 !== 0),
        );
        assert.equal((await harness.open().get('record 11'))?.content, 'heron again 1');
      },
    },
    {
      title: 'a read during replacements returns a whole record: never old and new mixed, never none',
      async run(harness) {
        const [writer, reader] = [harness.open(), harness.open()];
        await writer.put({ id: 'one', content: 'heron 0', metadata: { n: 0 } });
        const seen: (MemoryRecord | undefined)[] = [];
        await Promise.all([
          ...range(20).map((n) => writer.put({ id: 'one', content: `heron ${n}`, metadata: { n } })),
          (async () => {
            for (const _ of range(20)) seen.push(await reader.get('one'));
          })(),
        ]);
        for (const record of seen) assert.equal(record?.content, `heron ${record?.metadata.n}`);
      },
    },
    {
      title: 'of concurrent puts on one id, one is left, whole',
      async run(harness) {
        const stores = [harness.open(), harness.open()];
        await Promise.all(
          range(12).map((n) => stores[n % 2]?.put({ id: 'one', content: `heron ${n}`, metadata: { n } })),
        );
        const record = await harness.open().get('one');
        assert.equal(record?.content, `heron ${record?.metadata.n}`);
      },
    },
    ...onlyWhere(
      ({ consistency }) => consistency === 'strong',
      [
        {
          title: '50 concurrent puts on one id create 50 versions one after the other, each once',
          async run(harness) {
            const stores = [harness.open(), harness.open()];
            const records = await Promise.all(
              range(50).map((n) => (stores[n % 2] as RecordStore).put({ id: 'one', content: `heron ${n}` })),
            );
            const versions = records.map(({ version }) => putCount(version)).sort((a, b) => a - b);
            assert.deepEqual(
              versions,
              range(50).map((n) => n + 1),
            );
            const last = records.find(({ version }) => putCount(version) === 50);
            assert.deepEqual(await harness.open().get('one'), last);
            assert.equal(new Set(records.map(({ createdAt }) => createdAt)).size, 1);
          },
        },
        {
          title: 'of 20 concurrent creators with ifVersion 0, one wins, and the others get a conflict',
          async run(harness) {
            const stores = [harness.open(), harness.open()];
            const outcomes = await Promise.allSettled(
              range(20).map((n) =>
                (stores[n % 2] as RecordStore).put({ id: 'one', content: `heron ${n}` }, { ifVersion: 0 }),
              ),
            );
            const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
            const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
            assert.equal(won.length, 1);
            for (const { reason } of lost) assert.ok(isMemoryError(reason, 'CONFLICT'), String(reason));
            assert.deepEqual(await harness.open().get('one'), won[0]?.value);
          },
        },
        {
          title: 'a counter that is raised with ifVersion by many loses nothing',
          async run(harness) {
            const stores = [harness.open(), harness.open()];
            await Promise.all(
              range(4).map(async (worker) => {
                for (const _ of range(5)) await countUp(stores[worker % 2] as RecordStore);
              }),
            );
            const record = await harness.open().get('counter');
            assert.deepEqual([record?.metadata.count, putCount(record?.version ?? 0)], [20, 20]);
          },
        },
      ],
    ),
  ],
};
