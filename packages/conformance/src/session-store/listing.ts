import assert from 'node:assert/strict';
import { call, say, sayAll } from '../session/items.ts';
import { replaceCall } from '../session/mutations.ts';
import { appendOnce, replaceOnce } from '../session/transactions.ts';
import { infoOf, later, listAll, listIds, type SessionStoreCase, type SessionStoreCaseGroup } from './harness.ts';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const presence: SessionStoreCase[] = [
  {
    title: 'an empty store lists nothing',
    async run({ store }) {
      const page = await store.list();
      assert.deepEqual([...page.items], []);
      assert.equal(page.cursor, undefined);
    },
  },
  {
    title: 'a session that was only opened is not listed',
    async run({ store }) {
      const session = store.open('opened');
      store.open();
      await session.getSessionId();
      await session.getItems();
      await session.addItems([]);
      await session.popItem();
      assert.deepEqual(await listIds(store), []);
    },
  },
  {
    title: 'clearing or mutating a session that never had an item does not create it',
    async run({ store }) {
      await store.open('cleared').clearSession();
      await store.open('mutated').applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1'))] });
      assert.deepEqual(await listIds(store), []);
    },
  },
  {
    title: 'a refused write creates no session',
    async run({ store }) {
      const session = store.open('refused');
      await assert.rejects(session.addItems([{ note: Number.NaN }]));
      await assert.rejects(replaceOnce(session, 'operation-1', [say('one')], [say('two')]));
      assert.deepEqual(await listIds(store), []);
    },
  },
  {
    title: 'a session is listed after its first item, with its id, count and times',
    async run({ store }) {
      const before = Date.now();
      const session = store.open();
      await session.addItems(sayAll('item', 3));
      const [info, ...others] = await listAll(store);
      assert.ok(info !== undefined && others.length === 0);
      assert.equal(info.sessionId, await session.getSessionId());
      assert.equal(info.itemCount, 3);
      assert.match(info.createdAt, isoTime);
      assert.match(info.updatedAt, isoTime);
      assert.ok(info.createdAt <= info.updatedAt);
      // A server's clock may differ from ours, but not by a day.
      assert.ok(Math.abs(Date.parse(info.createdAt) - before) < 24 * 3_600_000);
    },
  },
  {
    title: 'a session created by a transaction or a compaction is listed',
    async run({ store }) {
      await appendOnce(store.open('one'), 'operation-1', [say('one')]);
      await store.open('two').replaceHistoryWithCompaction(sayAll('item', 2));
      const counts = (await listAll(store)).map(({ sessionId, itemCount }) => [sessionId, itemCount]);
      assert.deepEqual(counts.sort(), [
        ['one', 1],
        ['two', 2],
      ]);
    },
  },
  {
    title: 'an emptied session is still listed, with no items and its createdAt',
    async run({ store }) {
      const ways = {
        cleared: (id: string) => store.open(id).clearSession(),
        popped: (id: string) => store.open(id).popItem(),
        compacted: (id: string) => store.open(id).replaceHistoryWithCompaction([]),
      };
      for (const [id, empty] of Object.entries(ways)) {
        await store.open(id).addItems([say('one')]);
        const before = await infoOf(store, id);
        await later();
        await empty(id);
        const after = await infoOf(store, id);
        assert.equal(after?.itemCount, 0, `${id}: ${JSON.stringify(after)}`);
        assert.equal(after?.createdAt, before?.createdAt, `${id}: createdAt changed`);
      }
    },
  },
];

const facts: SessionStoreCase[] = [
  {
    title: 'the item count follows every change',
    async run({ store }) {
      const session = store.open('one');
      const counts = async (expected: number) => assert.equal((await infoOf(store, 'one'))?.itemCount, expected);
      await session.addItems([call('c-1'), call('c-1'), say('end')]);
      await counts(3);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await counts(2);
      await appendOnce(session, 'operation-1', sayAll('item', 3));
      await appendOnce(session, 'operation-1', sayAll('item', 3));
      await counts(5);
      await replaceOnce(session, 'operation-2', [say('item 1'), say('item 2')], [say('new')]);
      await counts(4);
      await session.popItem();
      await counts(3);
      await session.replaceHistoryWithCompaction(sayAll('summary', 7));
      await counts(7);
      await session.clearSession();
      await counts(0);
      await session.addItems([say('again')]);
      await counts(1);
    },
  },
  {
    title: 'the item count is right after many concurrent appends',
    async run({ store }) {
      const sessions = [store.open('one'), store.open('one')] as const;
      await Promise.all(Array.from({ length: 30 }, (_, index) => sessions[index % 2]?.addItems(sayAll(`${index}`, 3))));
      assert.equal((await infoOf(store, 'one'))?.itemCount, 90);
    },
  },
  {
    title: 'every change advances updatedAt, and none changes createdAt',
    async run({ store }) {
      const session = store.open('one');
      await session.addItems([call('c-1'), say('one')]);
      const first = await infoOf(store, 'one');
      let updatedAt = first?.updatedAt ?? '';
      const changes = {
        append: () => session.addItems([say('two')]),
        pop: () => session.popItem(),
        transaction: () => appendOnce(session, 'operation-1', [say('three')]),
        mutation: () => session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] }),
        compaction: () => session.replaceHistoryWithCompaction([say('summary')]),
        clear: () => session.clearSession(),
      };
      for (const [name, change] of Object.entries(changes)) {
        await later();
        await change();
        const info = await infoOf(store, 'one');
        assert.ok(info !== undefined && info.updatedAt > updatedAt, `${name} did not advance updatedAt`);
        assert.equal(info.createdAt, first?.createdAt, `${name} changed createdAt`);
        updatedAt = info.updatedAt;
      }
    },
  },
  {
    title: 'reading is not activity: it changes neither times nor order',
    async run({ store }) {
      for (const id of ['one', 'two']) {
        await store.open(id).addItems([say(id)]);
        await later();
      }
      const before = await listAll(store);
      await store.open('one').getItems();
      await store.open('one').getItems(1);
      await store.open('one').addItems([]);
      await store.open('one').getSessionId();
      await listAll(store, { limit: 1 });
      assert.deepEqual(await listAll(store), before);
    },
  },
  {
    title: 'mutations without effect are not activity',
    async run({ store }) {
      const call = { type: 'function_call', callId: 'known', name: 'look', arguments: '{}' };
      for (const id of ['one', 'two']) {
        await store.open(id).addItems([call]);
        await later();
      }
      const before = await listAll(store);
      for (const callId of ['unknown', 'known']) {
        const mutations = [{ type: 'replace_function_call' as const, callId, replacement: call }];
        await store.open('one').applyHistoryMutations({ mutations });
        await later();
      }
      assert.deepEqual(await listAll(store), before);
    },
  },
  {
    title: 'sessions are listed by their newest activity, whatever it was',
    async run({ store }) {
      const [a, b, c] = [store.open('a'), store.open('b'), store.open('c')] as const;
      for (const session of [b, c, a]) {
        await session.addItems(sayAll('item', 2));
        await later();
      }
      assert.deepEqual(await listIds(store), ['a', 'c', 'b']);
      await b.addItems([say('more')]);
      await later();
      assert.deepEqual(await listIds(store), ['b', 'a', 'c']);
      await c.popItem();
      await later();
      assert.deepEqual(await listIds(store), ['c', 'b', 'a']);
      await appendOnce(a, 'operation-1', [say('more')]);
      await later();
      await b.clearSession();
      assert.deepEqual(await listIds(store), ['b', 'a', 'c']);
    },
  },
  {
    title: "changing a list's result changes nothing stored",
    async run({ store }) {
      await store.open('one').addItems([say('one')]);
      const page = (await store.list()) as unknown as { items: { sessionId: string; itemCount: number }[] };
      Object.assign(page.items[0] ?? {}, { sessionId: 'other', itemCount: 99 });
      page.items.length = 0;
      const [info] = await listAll(store);
      assert.deepEqual([info?.sessionId, info?.itemCount], ['one', 1]);
    },
  },
];

export const listing: SessionStoreCaseGroup = { concern: 'listing', cases: [...presence, ...facts] };
