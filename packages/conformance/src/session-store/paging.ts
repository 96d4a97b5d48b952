import assert from 'node:assert/strict';
import type { PageOptions, SessionStore } from '@keepsake/core';
import { checkCursorsHideWrites, OTHER_WRITES } from '../cursor-numbers.ts';
import { readsOnce, refusesThrowing } from '../hostile-values.ts';
import { refuses } from '../session/expect.ts';
import { say } from '../session/items.ts';
import { later, listAll, listIds, type SessionStoreCase, type SessionStoreCaseGroup } from './harness.ts';

/** Creates the sessions `s0`, `s1` and so on, at different times. */
async function fill(store: SessionStore, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  for (const id of ids) {
    await store.open(id).addItems([say(id)]);
    await later();
  }
  return ids;
}

const cases: SessionStoreCase[] = [
  {
    title: 'pages of any size return each session once, in the order of the list',
    async run({ store }) {
      const newestFirst = (await fill(store, 7)).reverse();
      for (const limit of [1, 2, 3, 6, 7, 8, 1_000]) assert.deepEqual(await listIds(store, { limit }), newestFirst);
    },
  },
  {
    title: 'sessions written concurrently are each returned once, with any page size',
    async run({ store }) {
      const ids = Array.from({ length: 20 }, (_, index) => `s${index}`).sort();
      await Promise.all(ids.map((id) => store.open(id).addItems([say(id)])));
      const whole = await listIds(store);
      assert.deepEqual(whole.toSorted(), ids);
      for (const limit of [1, 3, 19]) assert.deepEqual(await listIds(store, { limit }), whole);
    },
  },
  {
    title: 'a page has at most its limit of sessions, and a cursor unless it is the last',
    async run({ store }) {
      await fill(store, 4);
      const sizes: [number, boolean][] = [];
      for (const limit of [3, 4, 5]) {
        const { items, cursor } = await store.list({ limit });
        sizes.push([items.length, cursor !== undefined]);
      }
      assert.deepEqual(sizes, [
        [3, true],
        [4, false],
        [4, false],
      ]);
    },
  },
  {
    title: 'without a limit, a page has 100 sessions',
    async run({ store }) {
      const ids = Array.from({ length: 103 }, (_, index) => `s${index}`);
      await Promise.all(ids.map((id) => store.open(id).addItems([say(id)])));
      const first = await store.list();
      assert.equal(first.items.length, 100);
      const second = await store.list({ cursor: first.cursor ?? '' });
      assert.equal(second.items.length, 3);
      assert.equal(second.cursor, undefined);
      assert.equal((await store.list({ limit: 1_000 })).items.length, 103);
    },
  },
  {
    title: 'idle sessions are returned once while others are written and deleted between pages',
    async run({ store }) {
      const ids = await fill(store, 12);
      const resting = new Set(ids.filter((_, index) => index % 3 === 0));
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < 12; page++) {
        const next = await store.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...next.items.map(({ sessionId }) => sessionId));
        cursor = next.cursor;
        if (cursor === undefined) break;
        // Sessions that were already listed, and the oldest ones: a cursor could miscount them.
        await store.open(ids.at(-2 - page) ?? 'new').addItems([say('more')]);
        await store.open(`new ${page}`).addItems([say('new')]);
        if (page === 1) await store.delete('s10');
        if (page === 2) await store.delete('s1');
      }
      assert.equal(cursor, undefined, 'the list did not end');
      assert.deepEqual(seen.filter((id) => resting.has(id)).sort(), [...resting].sort());
    },
  },
  {
    title: 'a limit that is not a whole number from 1 to 1,000 is refused',
    async run({ store }) {
      await fill(store, 2);
      for (const limit of [0, -1, 1.5, Number.NaN, 1_001, Number.POSITIVE_INFINITY, '10', {}]) {
        await refuses('INVALID_ARGUMENT', () => store.list({ limit: limit as number }), `for ${String(limit)}`);
      }
    },
  },
  {
    title: 'a misspelt option is refused, with the nearest name',
    async run({ store }) {
      await fill(store, 2);
      for (const [misspelt, nearest] of Object.entries({
        limits: 'limit',
        curser: 'cursor',
        idprefix: 'idPrefix',
        segments: 'segment',
      })) {
        const error = await refuses('INVALID_ARGUMENT', () => store.list({ [misspelt]: 1 } as PageOptions), misspelt);
        assert.match(error.message, new RegExp(`\\b${nearest}\\b`));
      }
      assert.equal((await store.list({ limits: undefined } as PageOptions)).items.length, 2);
    },
  },
  {
    title: 'options that throw when they are read are refused, and each is read once',
    async run({ store }) {
      await fill(store, 3);
      const { cursor = '' } = await store.list({ limit: 1 });
      await refusesThrowing({ limit: 1, cursor }, (options) => store.list(options));
      // Cursors differ each time.
      await readsOnce({ limit: 1, cursor }, async (options) => (await store.list(options)).items);
    },
  },
  {
    title: 'an invalid cursor is refused',
    async run({ store }) {
      await fill(store, 3);
      const { cursor = '' } = await store.list({ limit: 1 });
      const encode = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '');
      const wrong = [
        ...['', 'x', '%', '0', 's1', '\0', '../s1', "' OR 1=1 --", '*', '🙂', 'a'.repeat(10_000)],
        ...[
          encode([]),
          encode({}),
          encode(null),
          encode(['records', 1]),
          encode(['x', 'y', 'z']),
          `${cursor}x!`,
          7,
          {},
        ],
      ];
      for (const one of wrong) {
        await refuses(
          'INVALID_ARGUMENT',
          () => store.list({ cursor: one as string }),
          `for ${String(one).slice(0, 40)}`,
        );
      }
      assert.equal((await listAll(store, { limit: 1 })).length, 3);
    },
  },
  {
    // A guard that shows users only their sessions passes on the cursors.
    title: 'a cursor does not reveal how often other sessions were written',
    async run({ store }) {
      await store.open('first').addItems([say('first')]);
      for (const [n, writes] of OTHER_WRITES.entries()) {
        await store.open(`own ${n}`).addItems([say('own')]);
        for (let k = 0; k < writes; k++) await store.open(`other ${n} ${k}`).addItems([say('other')]);
      }
      await store.open('own last').addItems([say('own')]);
      const cursors: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await store.list({ limit: 1, ...(cursor === undefined ? {} : { cursor }) });
        cursor = page.cursor;
        if (cursor === undefined) break;
        if (page.items[0]?.sessionId.startsWith('own')) cursors.unshift(cursor);
      }
      checkCursorsHideWrites(cursors);
    },
  },
];

export const paging: SessionStoreCaseGroup = { concern: 'pages', cases };
