import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { putCount } from '@keepsake/core/adapter';
import { type RecordStoreCases, refuses, SECRET } from './helpers.ts';

const badVersions: readonly unknown[] = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null];

export const replacing: RecordStoreCases = {
  concern: 'Replacing',
  cases: [
    {
      title: 'each replacement raises the version by one',
      async run(harness) {
        const store = harness.open();
        const { version } = await store.put({ id: 'one', content: 'heron' });
        for (const count of [2, 3, 4]) {
          const put = await store.put({ id: 'one', content: `heron ${count}` });
          assert.deepEqual([put.version, putCount(put.version)], [version + count - 1, count]);
          assert.equal((await store.get('one'))?.version, put.version);
        }
        assert.equal((await harness.open().put({ id: 'one', content: 'heron 5' })).version, version + 4);
      },
    },
    {
      title: 'a replacement without a change counts, too',
      async run(harness) {
        const store = harness.open();
        const { version } = await store.put({ id: 'one', content: 'heron' });
        assert.equal((await store.put({ id: 'one', content: 'heron' })).version, version + 1);
      },
    },
    {
      title: 'a replacement keeps createdAt and advances updatedAt',
      async run(harness) {
        const store = harness.open();
        const before = await store.put({ id: 'one', content: 'heron' });
        await wait(5);
        const after = await store.put({ id: 'one', content: 'crane' });
        assert.equal(after.createdAt, before.createdAt);
        assert.ok(after.updatedAt > before.updatedAt, `${after.updatedAt} is not after ${before.updatedAt}`);
        assert.deepEqual(await store.get('one'), after);
      },
    },
    {
      title: 'a createdAt given with a replacement is ignored',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron', createdAt: '2023-05-08T13:56:00.000Z' });
        await store.put({ id: 'one', content: 'crane', createdAt: '2025-01-01T00:00:00.000Z' });
        assert.equal((await store.get('one'))?.createdAt, '2023-05-08T13:56:00.000Z');
      },
    },
    {
      title: 'a replacement replaces the whole record: no old metadata or turn is left',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron', metadata: { a: 1, b: 2 }, turn: { thread: 'talk', index: 0 } });
        await store.put({ id: 'one', content: 'crane', metadata: { b: 3 } });
        const record = await store.get('one');
        assert.equal(record?.content, 'crane');
        assert.deepEqual(record?.metadata, { b: 3 });
        assert.equal(record?.turn, undefined);
      },
    },
    {
      title: 'a replacement does not affect other records',
      async run(harness) {
        const store = harness.open();
        const other = await store.put({ id: 'other', content: 'heron', metadata: { a: 1 } });
        await store.put({ id: 'one', content: 'heron' });
        await store.put({ id: 'one', content: 'crane' });
        assert.deepEqual(await store.get('other'), other);
      },
    },
    {
      title: 'ifVersion 0 creates a record, and is a conflict if it exists',
      async run(harness) {
        const store = harness.open();
        const record = await store.put({ id: 'one', content: `heron ${SECRET}` }, { ifVersion: 0 });
        assert.equal(putCount(record.version), 1);
        await refuses('CONFLICT', () => store.put({ id: 'one', content: `crane ${SECRET}` }, { ifVersion: 0 }));
        assert.deepEqual(await store.get('one'), record);
      },
    },
    {
      title: 'ifVersion replaces only that version',
      async run(harness) {
        const store = harness.open();
        const { version } = await store.put({ id: 'one', content: 'heron' });
        const second = await store.put({ id: 'one', content: `crane ${SECRET}` }, { ifVersion: version });
        assert.equal(second.version, version + 1);
        for (const ifVersion of [1, version, version + 2]) {
          await refuses('CONFLICT', () => store.put({ id: 'one', content: `stork ${SECRET}` }, { ifVersion }));
        }
        assert.deepEqual(await store.get('one'), second);
      },
    },
    {
      title: 'ifVersion of 1 or more is a conflict if the record does not exist',
      async run(harness) {
        const store = harness.open();
        await refuses('CONFLICT', () => store.put({ id: 'one', content: `heron ${SECRET}` }, { ifVersion: 1 }));
        assert.equal(await store.get('one'), undefined);
        const { version: ifVersion } = await store.put({ id: 'one', content: 'heron' });
        await store.delete('one');
        await refuses('CONFLICT', () => store.put({ id: 'one', content: `heron ${SECRET}` }, { ifVersion }));
        assert.equal(await store.get('one'), undefined);
      },
    },
    {
      title: 'an invalid ifVersion is refused',
      async run(harness) {
        const store = harness.open();
        const record = await store.put({ id: 'one', content: 'heron' });
        for (const ifVersion of badVersions as readonly number[]) {
          await refuses('INVALID_ARGUMENT', () => store.put({ id: 'one', content: `crane ${SECRET}` }, { ifVersion }));
          await refuses('INVALID_ARGUMENT', () => store.delete('one', { ifVersion }));
        }
        assert.deepEqual(await store.get('one'), record);
      },
    },
    {
      title: 'a record that is created again after its deletion is new, with a new createdAt',
      async run(harness) {
        const store = harness.open();
        const first = await store.put({ id: 'one', content: 'heron', createdAt: '2023-05-08T13:56:00.000Z' });
        await store.put({ id: 'one', content: 'heron' });
        await store.delete('one');
        const again = await store.put({ id: 'one', content: 'heron' });
        assert.equal(putCount(again.version), 1);
        assert.ok(again.createdAt > first.createdAt, 'It was created again');
      },
    },
    {
      title:
        'no version comes again for an id: an ifVersion from before its deletion is a conflict, whatever came between',
      async run(harness) {
        const [store, other] = [harness.open(), harness.open()];
        const held: number[] = [];
        for (const remove of [
          () => store.delete('one'),
          () => other.delete('one'),
          async () => {
            await store.delete('one');
            await store.compact?.();
          },
          () => store.clear(),
          async () => {
            await other.clear();
            await store.compact?.();
          },
        ]) {
          const { version } = await other.put({ id: 'one', content: 'heron' }, { ifVersion: 0 });
          held.push(version, (await store.put({ id: 'one', content: 'heron' })).version);
          await remove();
          const created = await store.put({ id: 'one', content: `crane ${SECRET}` });
          const replaced = await other.put({ id: 'one', content: `crane ${SECRET}` }, { ifVersion: created.version });
          for (const ifVersion of held) {
            await refuses('CONFLICT', () => other.put({ id: 'one', content: `heron ${SECRET}` }, { ifVersion }));
            await refuses('CONFLICT', () => harness.open().delete('one', { ifVersion }));
          }
          assert.deepEqual(await harness.open().get('one'), replaced);
          held.push(created.version, replaced.version);
          await store.delete('one');
        }
        assert.equal(new Set(held).size, held.length);
      },
    },
    {
      title: 'a refused put leaves the record as it was',
      async run(harness) {
        const store = harness.open();
        const record = await store.put({ id: 'one', content: 'heron', metadata: { a: 1 } });
        await refuses('INVALID_ARGUMENT', () => store.put({ id: 'one', content: ' ' }));
        await refuses('TOO_LARGE', () => store.put({ id: 'one', content: SECRET.repeat(100_000) }));
        await refuses('INVALID_ARGUMENT', () =>
          store.put({ id: 'one', content: `crane ${SECRET}`, metadata: { a: Number.NaN } }),
        );
        assert.deepEqual(await store.get('one'), record);
      },
    },
  ],
};
