import assert from 'node:assert/strict';
import { badPrefixes, NO_STARTS, PREFIXED, startOf } from '../prefixed-ids.ts';
import { refuses } from '../session/expect.ts';
import { say, sayAll } from '../session/items.ts';
import { later, listAll, listIds, type SessionStoreCase, type SessionStoreCaseGroup } from './harness.ts';

const cases: SessionStoreCase[] = [
  {
    title: 'a list with an idPrefix returns the sessions whose ids begin with it, literally',
    async run({ store }) {
      await Promise.all(PREFIXED.map((id) => store.open(id).addItems([say(id)])));
      const starts = PREFIXED.flatMap((id) => [startOf(id, 1), startOf(id, 2), id]);
      for (const idPrefix of new Set([...starts, ...NO_STARTS])) {
        assert.deepEqual(
          (await listIds(store, { idPrefix })).sort(),
          PREFIXED.filter((id) => id.startsWith(idPrefix)).sort(),
          `The ids that begin with ${JSON.stringify(idPrefix)}`,
        );
      }
    },
  },
  {
    title: 'a list with an idPrefix is in the order of the list of all, with the same entries',
    async run({ store }) {
      // Neither in the order of ids nor in that of creation.
      for (const id of ['a:2', 'b:1', 'a:3', 'a:1', 'b:2', 'a:2']) {
        await store.open(id).addItems(sayAll('item', 2));
        await later();
      }
      assert.deepEqual(await listIds(store, { idPrefix: 'a:' }), ['a:2', 'a:1', 'a:3']);
      const all = await listAll(store);
      for (const idPrefix of ['a:', 'b:']) {
        const own = all.filter(({ sessionId }) => sessionId.startsWith(idPrefix));
        assert.deepEqual(await listAll(store, { idPrefix }), own);
      }
    },
  },
  {
    title: 'pages of a list with an idPrefix are full, and continue after the previous one',
    async run({ store }) {
      const ids = Array.from({ length: 24 }, (_, n) => `${n % 3 === 0 ? 'a' : 'b'} ${n}`);
      await Promise.all(ids.map((id) => store.open(id).addItems([say(id)])));
      const own = (await listIds(store)).filter((id) => id.startsWith('a '));
      const first = await store.list({ idPrefix: 'a ', limit: 5 });
      assert.equal(first.items.length, 5);
      for (const limit of [1, 3, 5, 7, 8, 9]) assert.deepEqual(await listIds(store, { idPrefix: 'a ', limit }), own);
      assert.equal((await store.list({ idPrefix: 'a ', limit: own.length })).cursor, undefined);
    },
  },
  {
    title: 'a list with an idPrefix has sessions that were emptied, but none that were deleted',
    async run({ store }) {
      for (const id of ['a:1', 'a:2', 'a:3', 'a:4']) await store.open(id).addItems([say(id)]);
      await store.open('a:1').clearSession();
      await store.delete('a:2');
      await store.delete('a:3');
      await store.open('a:3').addItems(sayAll('again', 2));
      const counts = (await listAll(store, { idPrefix: 'a:' })).map(({ sessionId, itemCount }) => [
        sessionId,
        itemCount,
      ]);
      assert.deepEqual(counts.sort(), [
        ['a:1', 0],
        ['a:3', 2],
        ['a:4', 1],
      ]);
    },
  },
  {
    title: 'an invalid idPrefix is refused',
    async run({ store }) {
      await store.open('one').addItems([say('one')]);
      for (const idPrefix of badPrefixes as readonly string[]) {
        await refuses('INVALID_ARGUMENT', () => store.list({ idPrefix }), `for ${JSON.stringify(idPrefix)}`);
      }
    },
  },
];

export const prefixes: SessionStoreCaseGroup = { concern: 'prefixes of ids', cases };
