import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';
import { holds } from '../session/expect.ts';
import { say, sayAll } from '../session/items.ts';
import { listIds, type SessionStoreCase, type SessionStoreCaseGroup } from './harness.ts';

const cases: SessionStoreCase[] = [
  {
    title: 'a session opened without an id gets a new UUID version 7',
    async run({ store }) {
      const ids = await Promise.all(Array.from({ length: 50 }, () => store.open().getSessionId()));
      assert.equal(new Set(ids).size, 50);
      for (const id of ids) {
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
    },
  },
  {
    title: 'a session opened with an id has that id, and is the same in every instance',
    async run({ store }) {
      const [one, other] = [store.open('support-42'), store.open('support-42')];
      assert.equal(await one.getSessionId(), 'support-42');
      await holds(other, []);
      await one.addItems(sayAll('item', 2));
      await other.addItems([say('more')]);
      await holds(one, [...sayAll('item', 2), say('more')]);
      await one.popItem();
      await holds(other, sayAll('item', 2));
      await holds(store.open('support-42'), sayAll('item', 2));
    },
  },
  {
    title: 'opening an invalid id throws at once',
    run: async ({ store }) => {
      for (const id of ['', '\0', 'a\0b', '\ud800', 'a\udc00', 'x'.repeat(513), null, 42, {}]) {
        assert.throws(
          () => store.open(id as string),
          (error) => isMemoryError(error, 'INVALID_ARGUMENT'),
          `nothing was thrown for ${JSON.stringify(id).slice(0, 20)}`,
        );
      }
      assert.deepEqual(await listIds(store), []);
    },
  },
  {
    title: 'sessions with similar ids are different sessions, and are listed under their ids',
    async run({ store }) {
      const ids = [
        ...[
          'a',
          'A',
          'ab',
          'a*',
          'a?',
          'a%',
          'a_',
          'a:b',
          'a/b',
          '../a',
          '%2e',
          '.',
          '..',
          '/a',
          'CON',
          'con',
          'a ',
          ' a',
        ],
        ...[
          'caf\u00e9',
          'cafe\u0301',
          '__proto__',
          'constructor',
          '{a}',
          '🙂',
          'a\nb',
          'x'.repeat(300),
          `${'x'.repeat(299)}y`,
        ],
      ];
      for (const id of ids) await store.open(id).addItems([say(id)]);
      for (const id of ids) await holds(store.open(id), [say(id)]);
      assert.deepEqual((await listIds(store)).sort(), [...ids].sort());
    },
  },
  {
    title: 'another store in the same place sees the sessions and their changes',
    when: (capabilities) => capabilities.shared,
    async run({ store, reopen }) {
      await store.open('one').addItems(sayAll('item', 3));
      const other = await reopen();
      assert.deepEqual(await other.list(), await store.list());
      await holds(other.open('one'), sayAll('item', 3));
      await other.open('two').addItems([say('two')]);
      assert.deepEqual((await listIds(store)).sort(), ['one', 'two']);
      assert.equal(await other.delete('one'), true);
      assert.deepEqual(await listIds(store), ['two']);
      await holds(store.open('one'), []);
    },
  },
  {
    title: 'another store in the same place sees nothing',
    when: (capabilities) => !capabilities.shared,
    async run({ store, reopen }) {
      await store.open('one').addItems(sayAll('item', 3));
      const other = await reopen();
      assert.deepEqual(await listIds(other), []);
      await holds(other.open('one'), []);
      assert.equal(await other.delete('one'), false);
      await holds(store.open('one'), sayAll('item', 3));
    },
  },
];

export const opening: SessionStoreCaseGroup = { concern: 'opening', cases };
