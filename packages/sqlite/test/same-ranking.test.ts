import { DatabaseSync } from 'node:sqlite';
import type { RecordInput, RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { CREATED, QUERIES, WORDS } from '@keepsake/suites/stores/random-inputs';
import { describeSameRanking } from '@keepsake/suites/stores/same-ranking';
import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { describe, expect, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';

const stores = {
  open: (options: object) => new SqliteStore({ database: new DatabaseSync(':memory:'), name: 'memory', ...options }),
  memory: (options: object) => new InMemoryStore({ name: 'memory', ...options }),
};

/** Facts and turns of several words, every tenth so long that searches return excerpts. */
const RECORDS = Array.from({ length: 80 }, (_, n): RecordInput => {
  const words = Array.from({ length: 3 + (n % 9) }, (_, k) => WORDS[(n * 7 + k * (n + 3)) % WORDS.length]);
  const rest = n % 10 === 0 ? ' It was raining all day long.'.repeat(40) : '';
  return {
    id: `${n}`,
    content: `${words.join(' ')}.${rest}`,
    createdAt: new Date(CREATED + n * 86_400_000).toISOString(),
    ...(n % 3 === 0 && { turn: { thread: `t${n % 4}`, index: n, speaker: n % 2 ? 'Ada' : 'Ben' } }),
  };
});

describe('every night', { tags: ['nightly'] }, () => {
  describeSameRanking('SqliteStore', { ...stores, embedder: WORD_EMBEDDER });
});

it('SqliteStore finds the same records as InMemoryStore, with the same scores and excerpts', async () => {
  const both = [stores.open({}), stores.memory({})];
  let count = 0;
  const excerpts: unknown[] = [];
  for (const store of both) {
    await store.putMany(RECORDS);
    for (let n = 0; n < 80; n += 9) await store.delete(`${n}`);
  }
  for (const query of QUERIES) {
    const [found = [], expected = []] = await Promise.all(both.map((store) => facts(store, query)));
    // The same numbers added in another order differ in the last digits.
    expect(found, query).toEqual(expected.map((one) => ({ ...one, score: expect.closeTo(one.score ?? 0, 6) })));
    count += found.length;
    excerpts.push(...found.flatMap(({ excerpt }) => excerpt ?? []));
  }
  expect(count).toBeGreaterThan(100);
  expect(excerpts.length).toBeGreaterThan(5);
});

/** What is found, in an order that equal scores do not change. */
async function facts(store: RecordStore, query: string) {
  const found = await store.search(query, { maxSearchResults: 100 });
  return found
    .map(({ id, score, excerpt }) => ({ id, score, excerpt }))
    .toSorted((one, other) => ((one.id ?? '') < (other.id ?? '') ? -1 : 1));
}
