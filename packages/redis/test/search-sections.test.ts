import type { RecordInput } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import { RedisStore } from '../src/index.ts';
import { SEARCH } from '../src/lua/search/search.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

const WORDS = ['heron', 'crane', 'stork', 'egret'];

/** Each word is in about 60 % of texts of similar lengths, so that no search can leave out many of them. */
const RECORDS: readonly RecordInput[] = Array.from({ length: 20_000 }, (_, n) => {
  const held = WORDS.map((word, k) => ((n * (7 + 2 * k)) % 101 < 60 ? word : 'pond'));
  return {
    id: `${n}`,
    content: `${held.join(' ')} ${'reed '.repeat(6 + (n % 2))}`,
    metadata: { kind: n % 200 === 3 ? 'rare' : n % 3 === 0 ? 'third' : 'common', fifth: n % 5 === 0 },
    createdAt: new Date(Date.UTC(2020, 0, 1) + n * 3_600_000).toISOString(),
  };
});
const turns = RECORDS.map((record, n) => ({
  ...record,
  turn: { thread: `talk ${n % 90}`, index: Math.floor(n / 90) },
}));

const FILTERS = [undefined, { kind: 'common' }, { kind: 'third' }, { kind: 'rare' }, { fifth: true, kind: 'rare' }];

describe('a search for words of which more postings matter than one script reads', { timeout: 300_000 }, () => {
  it.each([
    ['records', RECORDS, 'egret stork pond heron in May 2021'],
    // With a date, Redis compares at most 500 turns.
    ['turns', turns, 'egret stork pond heron'],
  ])('finds the best a section at a time, with the scores of an in-memory store: %s', async (_, records, other) => {
    const scripts: string[] = [];
    const call =
      (method: 'call' | 'callBuffer') =>
      (command: string, values: ScriptArgument[]): Promise<unknown> => {
        if (values[0] === SEARCH.sha || values[0] === SEARCH.lua) scripts.push('SEARCH');
        return shared.client[method](command, values);
      };
    const client: RedisClient = { call: call('call'), callBuffer: call('callBuffer') };
    const [memory, redis] = [
      new InMemoryStore({ name: 'memory' }),
      new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory', indexed: ['kind'] }),
    ];
    for (const store of [memory, redis]) await store.putMany(records);
    for (const query of [WORDS.join(' '), other]) {
      for (const filter of FILTERS) {
        scripts.length = 0;
        const options = { maxSearchResults: 10, filter };
        const [expected, found] = await Promise.all([memory, redis].map((store) => store.search(query, options)));
        const scores = (entries: typeof found) => entries?.map(({ score = 0 }) => score.toPrecision(9));
        expect(scores(found), `${query} ${JSON.stringify(filter)}`).toEqual(scores(expected));
        if (filter === undefined) expect(scripts.length, query).toBeGreaterThan(3);
        const below = await redis.search(query, { ...options, descendants: true });
        expect(scores(below), `${query} ${JSON.stringify(filter)}, below`).toEqual(scores(expected));
      }
    }
  });

  it('can be aborted between sections', async () => {
    const controller = new AbortController();
    let searches = 0;
    const call =
      (method: 'call' | 'callBuffer') =>
      (command: string, values: ScriptArgument[]): Promise<unknown> => {
        if ((values[0] === SEARCH.sha || values[0] === SEARCH.lua) && ++searches === 3) controller.abort();
        return shared.client[method](command, values);
      };
    const client: RedisClient = { call: call('call'), callBuffer: call('callBuffer') };
    const store = new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory' });
    await store.putMany(RECORDS);
    await expect(store.search(WORDS.join(' '), { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(searches).toBe(3);
  });
});

it('a section that turns out to be too large is done again with fewer documents', {
  timeout: 300_000,
}, async () => {
  const sections: (readonly [first: string, count: string])[] = [];
  const call =
    (method: 'call' | 'callBuffer') =>
    (command: string, values: ScriptArgument[]): Promise<unknown> => {
      for (const value of values) {
        const [, first, count] = /^(\d+) (\d+) [\d.e+-]+$/.exec(String(value)) ?? [];
        if (first !== undefined && count !== undefined) sections.push([first, count]);
      }
      return shared.client[method](command, values);
    };
  const stores = [
    new InMemoryStore({ name: 'memory' }),
    new RedisStore({
      client: { call: call('call'), callBuffer: call('callBuffer') },
      keyPrefix: freshPrefix(),
      name: 'memory',
    }),
  ];
  const records = Array.from({ length: 40_000 }, (_, n) => {
    const content = (words: readonly string[]) => `${words.join(' ')} ${'reed '.repeat(6 + (n % 2))}`;
    // First those that pass, then some that are not good, and then many that are good and don't pass.
    if (n < 6_000) return { id: `${n}`, content: content(WORDS.slice(n % 2)), metadata: { passes: true } };
    if (n < 20_000) return { id: `${n}`, content: content([WORDS[n % 4] as string]), metadata: { passes: true } };
    return { id: `${n}`, content: content(WORDS), metadata: { passes: n % 400 === 0 } };
  });
  for (const store of stores) {
    for (let from = 0; from < records.length; from += 2_000) await store.putMany(records.slice(from, from + 2_000));
  }
  const [expected, found] = await Promise.all(
    stores.map((store) => store.search(WORDS.join(' '), { maxSearchResults: 10, filter: { passes: true } })),
  );
  expect(found?.map(({ score = 0 }) => score.toPrecision(9))).toEqual(
    expected?.map(({ score = 0 }) => score.toPrecision(9)),
  );
  const again = sections.filter(([first, count], n) => count === '0' && first === sections[n - 1]?.[0]);
  expect(again).not.toEqual([]);
});
