import assert from 'node:assert/strict';
import { formatNamespace } from '@keepsake/core';
import { PREFIXED } from '../prefixed-ids.ts';
import { badSegments } from '../segments.ts';
import { refuses } from '../session/expect.ts';
import { say, sayAll } from '../session/items.ts';
import { later, listAll, listIds, type SessionStoreCase, type SessionStoreCaseGroup } from './harness.ts';

/** Segments that patterns, other cases or separators confuse, and the longest ones. */
const SEGMENTS: readonly string[] = [
  ...PREFIXED,
  ...['a:b', 'b', 'a/b', '%3A', 'a b', ' ', 'alice', 'alice ', '"', "'", '\u0085', '語'.repeat(160)],
];

const cases: SessionStoreCase[] = [
  {
    title: 'a list with a segment returns the sessions whose ids have exactly this segment',
    async run({ store }) {
      const ids = SEGMENTS.flatMap((segment) => [
        formatNamespace([segment]),
        formatNamespace(['guide', 'u', segment, 's1']),
        formatNamespace([`${segment.slice(0, 60)}x`, segment, segment]),
      ]);
      const own = [...new Set([...ids, '::a::', 'a a a', 'guide:u:%61:s1'])];
      await Promise.all(own.map((id) => store.open(id).addItems([say('hello')])));
      for (const segment of [...SEGMENTS, 'u', 's1', 'no', 'U', '%61', '%']) {
        assert.deepEqual(
          (await listIds(store, { segment })).sort(),
          own.filter((id) => id.split(':').includes(formatNamespace([segment]))).sort(),
          `The ids with ${JSON.stringify(segment)}`,
        );
      }
      assert.deepEqual(
        (await listIds(store, { segment: 'b', idPrefix: 'guide:' })).sort(),
        own.filter((id) => id.startsWith('guide:') && id.split(':').includes('b')),
      );
    },
  },
  {
    title: 'a list with a segment is in the order of the list of all, in full pages, with the same entries',
    async run({ store }) {
      for (const n of [4, 1, 5, 2, 9, 0, 3, 8, 7, 6, 4, 2]) {
        await store.open(`guide:u:${n % 2 === 0 ? 'alice' : 'bob'}:${n}`).addItems(sayAll('item', 2));
        await later();
      }
      const own = (await listAll(store)).filter(({ sessionId }) => sessionId.includes(':alice:'));
      assert.equal(own.length, 5);
      assert.deepEqual(await listAll(store, { segment: 'alice' }), own);
      for (const limit of [1, 2, 4, 5, 6]) assert.deepEqual(await listAll(store, { segment: 'alice', limit }), own);
      assert.equal((await store.list({ segment: 'alice', limit: 3 })).items.length, 3);
      assert.equal((await store.list({ segment: 'alice', limit: 5 })).cursor, undefined);
    },
  },
  {
    title: 'a list with a segment has sessions that were emptied, but none that were deleted',
    async run({ store }) {
      for (const n of [1, 2, 3, 4]) await store.open(`u:alice:${n}`).addItems([say('hello')]);
      await store.open('u:alice:1').clearSession();
      await store.delete('u:alice:2');
      await store.delete('u:alice:3');
      await store.open('u:alice:3').addItems(sayAll('again', 2));
      await store.open('u:alice:4').replaceHistoryWithCompaction([]);
      const infos = await listAll(store, { segment: 'alice' });
      assert.deepEqual(infos.map(({ sessionId, itemCount }) => [sessionId, itemCount]).sort(), [
        ['u:alice:1', 0],
        ['u:alice:3', 2],
        ['u:alice:4', 0],
      ]);
    },
  },
  {
    title: 'a segment that no namespace can have is refused by a list of sessions',
    async run({ store }) {
      await store.open('one').addItems([say('one')]);
      for (const segment of badSegments as readonly string[]) {
        await refuses('INVALID_ARGUMENT', () => store.list({ segment }), `for ${JSON.stringify(segment)}`);
      }
    },
  },
];

export const segments: SessionStoreCaseGroup = { concern: 'segments of ids', cases };
