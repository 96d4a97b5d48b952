import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { foundIds, heldIds, type RecordStoreCases, range, refuses, SECRET } from './helpers.ts';

export const adding: RecordStoreCases = {
  concern: 'Adding',
  cases: [
    {
      title: 'add returns the stored record, which get and search return too',
      async run(harness) {
        const store = harness.open();
        const record = await store.add('The heron waits', { kind: 'bird' });
        assert.equal(record.content, 'The heron waits');
        assert.deepEqual(record.metadata, { kind: 'bird' });
        assert.equal(putCount(record.version), 1);
        assert.deepEqual(await store.get(record.id), record);
        assert.deepEqual(await foundIds(store, 'heron'), [record.id]);
      },
    },
    {
      title: 'add of the same text and metadata again changes nothing',
      async run(harness, capabilities) {
        const store = harness.open();
        const first = await store.add('heron', { kind: 'bird', size: 1 });
        for (const instance of [store, harness.open()]) {
          assert.deepEqual(await instance.add('heron', { kind: 'bird', size: 1 }), first);
          // The order of fields does not matter in JSON.
          assert.deepEqual(await instance.add('heron', { size: 1, kind: 'bird' }), first);
        }
        assert.deepEqual(await store.get(first.id), first);
        assert.deepEqual(await heldIds(store, capabilities), [first.id]);
      },
    },
    {
      title: 'add without metadata can be retried too',
      async run(harness, capabilities) {
        const store = harness.open();
        const first = await store.add('heron');
        assert.deepEqual(first.metadata, {});
        assert.deepEqual(await harness.open().add('heron'), first);
        assert.deepEqual(await store.add('heron', {}), first);
        assert.deepEqual(await heldIds(store, capabilities), [first.id]);
      },
    },
    {
      title: 'add of the same text with other metadata replaces the metadata',
      async run(harness, capabilities) {
        const store = harness.open();
        const first = await store.add('heron', { seen: 1, by: 'Ada' });
        const second = await store.add('heron', { seen: 2 });
        assert.equal(second.id, first.id);
        assert.equal(second.version, first.version + 1);
        assert.equal(second.createdAt, first.createdAt);
        assert.deepEqual((await store.get(first.id))?.metadata, { seen: 2 });
        assert.deepEqual(await heldIds(store, capabilities), [first.id]);
      },
    },
    {
      title: 'adding texts that differ in a character, case or Unicode form creates separate records',
      async run(harness, capabilities) {
        const store = harness.open();
        const texts = ['heron é', 'heron e\u0301', 'Heron é', 'heron é ', ' heron é', 'heron é.', 'heron é\0', 'heron'];
        const ids = new Set<string>();
        for (const text of texts) ids.add((await store.add(text)).id);
        assert.equal(ids.size, texts.length);
        assert.deepEqual(await heldIds(store, capabilities), [...ids].sort());
        for (const text of texts) assert.equal((await store.get((await store.add(text)).id))?.content, text);
      },
    },
    {
      title: 'concurrent adds of the same text leave one record, put once',
      async run(harness, capabilities) {
        const stores = [harness.open(), harness.open()];
        const records = await Promise.all(
          range(20).map((number) => (number % 2 === 0 ? stores[0] : stores[1])?.add('heron', { kind: 'bird' })),
        );
        const ids = [...new Set(records.map((record) => record?.id))];
        assert.equal(ids.length, 1);
        assert.deepEqual(await heldIds(harness.open(), capabilities), ids);
        assert.equal(putCount((await harness.open().get(ids[0] as string))?.version ?? 0), 1);
      },
    },
    {
      title: 'a text that was deleted can be added again',
      async run(harness) {
        const store = harness.open();
        const first = await store.add('heron');
        await store.delete(first.id);
        const again = await store.add('heron');
        assert.equal(again.id, first.id);
        assert.equal(putCount(again.version), 1);
        assert.deepEqual(await store.get(first.id), again);
      },
    },
    {
      title: 'adding a text in two namespaces creates two records',
      async run(harness) {
        const [a, b] = [harness.open({ namespace: ['a'] }), harness.open({ namespace: ['b'] })];
        const inA = await a.add('heron', { place: 'a' });
        const inB = await b.add('heron', { place: 'b' });
        assert.equal(putCount(inB.version), 1);
        assert.deepEqual(await a.get(inA.id), inA);
        assert.deepEqual(await b.get(inB.id), inB);
      },
    },
    {
      title: 'add refuses what put refuses, and writes nothing',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const content of ['', ' \n', undefined, null, 7, { text: 'heron' }] as unknown[]) {
          await refuses('INVALID_ARGUMENT', () => store.add(content as string));
        }
        for (const metadata of [null, [], 'bird', { at: new Date() }, { n: Number.NaN }] as unknown[]) {
          await refuses('INVALID_ARGUMENT', () => store.add(`heron ${SECRET}`, metadata as JsonObject));
        }
        await refuses('TOO_LARGE', () => store.add(SECRET.repeat(100_000)));
        await refuses('TOO_LARGE', () => store.add('heron', { long: SECRET.repeat(10_000) }));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
  ],
};
