import assert from 'node:assert/strict';
import { holds, refuses } from '../session/expect.ts';
import { say, sayAll } from '../session/items.ts';
import { appendOnce } from '../session/transactions.ts';
import { infoOf, later, listIds, type SessionStoreCase, type SessionStoreCaseGroup } from './harness.ts';

const cases: SessionStoreCase[] = [
  {
    title: 'deleting returns whether the session existed',
    async run({ store }) {
      store.open('opened');
      await store.open('one').addItems([say('one')]);
      assert.equal(await store.delete('opened'), false);
      assert.equal(await store.delete('unknown'), false);
      assert.equal(await store.delete('one'), true);
      assert.equal(await store.delete('one'), false);
    },
  },
  {
    title: 'an emptied session exists and can be deleted',
    async run({ store }) {
      await store.open('cleared').addItems([say('one')]);
      await store.open('cleared').clearSession();
      assert.equal(await store.delete('cleared'), true);
      assert.equal(await store.delete('cleared'), false);
      assert.deepEqual(await listIds(store), []);
    },
  },
  {
    title: 'a deleted session is empty in open instances, and is not listed',
    async run({ store }) {
      const session = store.open('one');
      await session.addItems(sayAll('item', 3));
      await session.getItems();
      await store.delete('one');
      await holds(session, []);
      assert.equal(await session.popItem(), undefined);
      await holds(store.open('one'), []);
      assert.deepEqual(await listIds(store), []);
    },
  },
  {
    title: 'a deleted session can be used again, also by open instances',
    async run({ store }) {
      const session = store.open('one');
      await session.addItems(sayAll('old', 3));
      const before = await infoOf(store, 'one');
      await store.delete('one');
      await later();
      await session.addItems([say('new')]);
      await store.open('one').addItems([say('newer')]);
      await holds(session, [say('new'), say('newer')]);
      const after = await infoOf(store, 'one');
      assert.equal(after?.itemCount, 2);
      assert.ok(before !== undefined && after.createdAt > before.createdAt, 'createdAt is that of the deleted session');
    },
  },
  {
    title: 'deleting forgets the operation ids',
    async run({ store }) {
      await appendOnce(store.open('one'), 'operation-1', [say('old')]);
      await store.delete('one');
      await appendOnce(store.open('one'), 'operation-1', [say('new')]);
      await holds(store.open('one'), [say('new')]);
    },
  },
  {
    title: 'deleting does not affect sessions with similar ids',
    async run({ store }) {
      const ids = [
        'a',
        'A',
        'ab',
        'a*',
        '*',
        'a?',
        'a%',
        '%',
        'a_',
        'a:b',
        'a:',
        'a/b',
        './a',
        '__proto__',
        'caf\u00e9',
        'cafe\u0301',
      ];
      for (const id of ids) await store.open(id).addItems([say(id)]);
      for (const [index, id] of ids.entries()) {
        assert.equal(await store.delete(id), true);
        assert.deepEqual((await listIds(store)).sort(), ids.slice(index + 1).sort());
        for (const other of ids.slice(index + 1)) await holds(store.open(other), [say(other)]);
      }
    },
  },
  {
    title: 'of many concurrent deletes of a session, one returns true',
    async run({ store }) {
      await store.open('one').addItems(sayAll('item', 3));
      const told = await Promise.all(Array.from({ length: 10 }, () => store.delete('one')));
      assert.equal(told.filter(Boolean).length, 1);
    },
  },
  {
    title: 'deleting an invalid id is refused',
    async run({ store }) {
      await store.open('one').addItems([say('one')]);
      for (const id of ['', '\0', 'a\ud800', 'x'.repeat(513), undefined, 42]) {
        await refuses('INVALID_ARGUMENT', () => store.delete(id as string), `for an id of type ${typeof id}`);
      }
      assert.deepEqual(await listIds(store), ['one']);
    },
  },
];

export const deleting: SessionStoreCaseGroup = { concern: 'deleting', cases };
