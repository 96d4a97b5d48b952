import assert from 'node:assert/strict';
import type { MemoryRecord, RecordInput } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { heldIds, listAll, type RecordStoreCases, refuses, SECRET } from './helpers.ts';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** The backend may use the clock of another machine. */
const CLOCK_SKEW_MS = 10 * 60_000;

const badInputs: readonly unknown[] = [
  undefined,
  null,
  'heron',
  [],
  {},
  { content: `heron ${SECRET}`, index: 'no' },
  { content: `heron ${SECRET}`, index: 0 },
  { content: `heron ${SECRET}`, index: null },
];

const badTimes: readonly unknown[] = ['yesterday', '', '2026-11-21', '2026-11-21T08:00:00', '2026-13-01T00:00:00Z', 0];

const badTurns: readonly unknown[] = [
  null,
  'talk',
  {},
  { thread: '', index: 0 },
  { thread: 'a\0b', index: 0 },
  { thread: '\ud800', index: 0 },
  { thread: 'talk' },
  { thread: 'talk', index: -1 },
  { thread: 'talk', index: 0.5 },
  { thread: 'talk', index: Number.NaN },
  { thread: 'talk', index: '0' },
  { thread: 'talk', index: 0, speaker: '' },
  { thread: 'talk', index: 0, speaker: 7 },
];

export const putting: RecordStoreCases = {
  concern: 'Putting',
  cases: [
    {
      title: 'put returns the stored record, with a version of one put',
      async run(harness) {
        const record = await harness.open().put({ id: 'one', content: 'heron', metadata: { kind: 'bird' } });
        const { createdAt, updatedAt, version, ...rest } = record;
        assert.deepEqual(rest, { id: 'one', content: 'heron', metadata: { kind: 'bird' }, index: true });
        assert.equal(putCount(version), 1);
        assert.match(createdAt, ISO_TIME);
        assert.match(updatedAt, ISO_TIME);
      },
    },
    {
      title: 'get returns a record exactly as put did',
      async run(harness) {
        const store = harness.open();
        const turn = { thread: 'talk', index: 3, speaker: 'Ada' };
        const put = await store.put({ id: 'one', content: 'heron', metadata: { kind: 'bird' }, turn });
        assert.deepEqual(await store.get('one'), put);
      },
    },
    {
      title: 'one instance can get what another put',
      async run(harness) {
        const put = await harness.open().put({ id: 'one', content: 'heron' });
        assert.deepEqual(await harness.open().get('one'), put);
      },
    },
    {
      title: 'a put without an id creates a new UUID version 7 each time',
      async run(harness) {
        const store = harness.open();
        const first = await store.put({ content: 'heron' });
        const second = await store.put({ content: 'heron' });
        assert.match(first.id, UUID_V7);
        assert.match(second.id, UUID_V7);
        assert.notEqual(first.id, second.id);
        assert.deepEqual(await store.get(first.id), first);
      },
    },
    {
      title: 'a put without metadata stores an empty object',
      async run(harness) {
        const store = harness.open();
        assert.deepEqual((await store.put({ id: 'one', content: 'heron' })).metadata, {});
        assert.deepEqual((await store.get('one'))?.metadata, {});
      },
    },
    {
      title: 'a record without turn, source and time to live has no such fields',
      async run(harness) {
        const store = harness.open();
        const put = await store.put({ id: 'one', content: 'heron' });
        for (const record of [put, await store.get('one')]) {
          assert.deepEqual(Object.keys(record ?? {}).sort(), [
            'content',
            'createdAt',
            'id',
            'index',
            'metadata',
            'updatedAt',
            'version',
          ]);
        }
      },
    },
    {
      title: 'a new record was created now',
      async run(harness) {
        const { createdAt, updatedAt } = await harness.open().put({ content: 'heron' });
        assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < CLOCK_SKEW_MS, `createdAt is ${createdAt}`);
        assert.ok(Math.abs(Date.parse(updatedAt) - Date.now()) < CLOCK_SKEW_MS, `updatedAt is ${updatedAt}`);
      },
    },
    {
      title: 'a given createdAt is kept as the same moment in UTC with milliseconds',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'offset', content: 'heron', createdAt: '2023-05-08T15:56:00+02:00' });
        await store.put({ id: 'old', content: 'heron', createdAt: '1969-07-20T20:17:40.123Z' });
        assert.equal((await store.get('offset'))?.createdAt, '2023-05-08T13:56:00.000Z');
        assert.equal((await store.get('old'))?.createdAt, '1969-07-20T20:17:40.123Z');
      },
    },
    {
      title: 'no record was updated before it was created, whatever the clock says',
      async run(harness) {
        const store = harness.open();
        const createdAt = '2999-01-01T00:00:00.000Z';
        const record = { id: 'one', content: 'heron', createdAt };
        const puts = [await store.put(record), await store.put({ ...record, content: 'crane' })];
        puts.push(...(await store.putMany([{ ...record, content: 'egret' }])));
        puts.push((await store.get('one')) as MemoryRecord);
        for (const put of puts) assert.deepEqual([put.createdAt, put.updatedAt], [createdAt, createdAt]);
        await store.put({ id: 'two', content: 'heron' });
        const { updatedAt } = await store.put({ id: 'two', content: 'crane', createdAt });
        assert.ok(updatedAt < createdAt, 'createdAt is ignored when a record is replaced');
      },
    },
    {
      title: 'an invalid createdAt is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const createdAt of badTimes) {
          const input = { content: `heron ${SECRET}`, createdAt } as RecordInput;
          await refuses('INVALID_ARGUMENT', () => store.put(input));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'a turn comes back as it was put, with and without a speaker',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron', turn: { thread: 'a:b', index: 0 } });
        await store.put({ id: 'two', content: 'heron', turn: { thread: '💡', index: 2 ** 40, speaker: "O'Neill" } });
        assert.deepEqual((await store.get('one'))?.turn, { thread: 'a:b', index: 0 });
        assert.deepEqual((await store.get('two'))?.turn, { thread: '💡', index: 2 ** 40, speaker: "O'Neill" });
      },
    },
    {
      title: 'an invalid turn is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const turn of badTurns) {
          const input = { content: `heron ${SECRET}`, turn } as RecordInput;
          await refuses('INVALID_ARGUMENT', () => store.put(input));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'every returned record says whether search finds it',
      async run(harness, { enumerate }) {
        const store = harness.open();
        await store.put({ id: 'found', content: 'heron' });
        const hidden = { id: 'hidden', content: 'heron', index: false };
        const added = [await store.add('crane'), ...(await store.addMessages([{ role: 'user', content: 'stork' }]))];
        for (const record of added) assert.equal(record.index, true);
        assert.equal((await store.put({ id: 'found', content: 'heron', index: true })).index, true);
        assert.equal((await store.put(hidden)).index, false);
        assert.deepEqual(
          (await store.putMany([hidden, { content: 'heron' }])).map(({ index }) => index),
          [false, true],
        );
        assert.equal((await store.get('found'))?.index, true);
        assert.equal((await store.get('hidden'))?.index, false);
        if (enumerate) for (const { id, index } of await listAll(store)) assert.equal(index, id !== 'hidden', id);
        assert.equal((await store.put({ id: 'hidden', content: 'heron' })).index, true);
        assert.equal((await store.get('hidden'))?.index, true);
      },
    },
    {
      title: 'invalid input is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const input of badInputs) {
          await refuses('INVALID_ARGUMENT', () => store.put(input as RecordInput));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
  ],
};
