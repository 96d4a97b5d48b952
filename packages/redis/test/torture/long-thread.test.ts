import { InMemoryStore } from '@keepsake/in-memory';
import { count } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { RedisStore } from '../../src/index.ts';
import { freshPrefix, sharedRedis } from '../connections.ts';

const shared = sharedRedis();
// The search finds a thousand of them, one in thirty.
const TURNS = 90_000;

it(`RedisStore ranks a thread of ${count(TURNS)} turns like InMemoryStore, if every turn is near a match`, {
  tags: 'nightly',
}, async () => {
  const memory = new InMemoryStore({ name: 'memory' });
  const redis = new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory' });
  const inputs = Array.from({ length: TURNS }, (_, n) => ({
    id: `${n}`,
    content: n % 30 === 0 ? `lighthouse ${n % 77}` : `guitar ${n % 71}`,
    turn: { thread: 'one', index: n },
    createdAt: new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString(),
  }));
  for (let from = 0; from < TURNS; from += 10_000) {
    for (const store of [memory, redis]) await store.putMany(inputs.slice(from, from + 10_000));
  }
  const [expected, found] = await Promise.all(
    [memory, redis].map((store) => store.search('lighthouse 7 lighthouse', { maxSearchResults: 1_000 })),
  );
  expect(found).toHaveLength(1_000);
  expect(found?.map(({ score = 0 }) => score.toPrecision(9))).toEqual(
    expected?.map(({ score = 0 }) => score.toPrecision(9)),
  );
});
