import { setTimeout as wait } from 'node:timers/promises';
import type { RecordInput, RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();
// No record has a word of the query, so only the vectors find something.
const QUERY = 'cba bca';

function openTwo() {
  const keyPrefix = freshPrefix();
  const { client } = shared;
  const open = (own: Partial<RedisStoreOptions> = {}) =>
    new RedisStore({ client, keyPrefix, name: 'memory', embedder: fakeEmbedder, ...own });
  const withoutEmbedder = new RedisStore({ client, keyPrefix, name: 'memory' });
  const memory = new InMemoryStore({ name: 'memory', embedder: fakeEmbedder });
  return { one: open(), other: open(), open, withoutEmbedder, memory };
}

async function found(store: RecordStore): Promise<string[]> {
  return (await store.search(QUERY)).map(({ id }) => String(id));
}

/** Scores depend on all vectors of a namespace, so they are equal only if exactly the same vectors are compared. */
async function expectSame(store: RecordStore, memory: RecordStore, options: object = {}, query = QUERY) {
  const [actual, expected] = await Promise.all([store, memory].map((one) => one.search(query, options)));
  const scores = (entries: typeof actual) => entries?.map(({ score }) => (score ?? 0).toPrecision(9));
  expect(scores(actual)).toEqual(scores(expected));
  return (actual ?? []).map(({ id }) => String(id));
}

function letters(n: number): string {
  return `${'abc '.repeat(1 + (n % 7))}${'xyz'.repeat(n % 11)}${'k'.repeat(n % 5)} ${'q'.repeat(n % 3)}`;
}

function inputsOf(count: number, of: (n: number) => Partial<RecordInput> = () => ({})): RecordInput[] {
  return Array.from({ length: count }, (_, n) => ({ id: `${n}`, content: letters(n), ...of(n) }));
}

describe('A store with a copy of the vectors', () => {
  it('finds by meaning what other instances have put since, and nothing that they have removed', async () => {
    const { one, other } = openTwo();
    await one.putMany(['a', 'b', 'c', 'd'].map((id) => ({ id, content: `abc ${id}` })));
    expect((await found(other)).sort()).toEqual(['a', 'b', 'c', 'd']);
    await one.put({ id: 'a', content: 'abc a', index: false });
    await one.delete('b');
    await one.put({ id: 'c', content: 'xyz zyx' });
    await one.put({ id: 'e', content: 'abcabc' });
    const now = await found(other);
    expect(now).not.toContain('a');
    expect(now).not.toContain('b');
    expect(now.slice(0, 2).sort()).toEqual(['d', 'e']);
    expect(now.at(-1)).toBe('c');
    await one.put({ id: 'a', content: 'abc a' });
    expect((await found(other)).slice(0, 3)).toContain('a');
    await one.clear();
    expect(await found(other)).toEqual([]);
  });

  it('ignores records that were put without an embedder or with another one', async () => {
    const { one, other, open, withoutEmbedder } = openTwo();
    await one.putMany(['a', 'b', 'c'].map((id) => ({ id, content: `abc ${id}` })));
    expect(await found(other)).toHaveLength(3);
    await withoutEmbedder.put({ id: 'b', content: 'abc b' });
    await open({ embedder: { ...fakeEmbedder, id: 'other-16' } }).put({ id: 'a', content: 'abc a' });
    expect(await found(other)).toEqual(['c']);
    expect(await found(open({ embedder: { ...fakeEmbedder, id: 'other-16' } }))).toEqual(['a']);
  });

  it('finds as many records as requested after hundreds of nearer ones were deleted', async () => {
    const { one, other } = openTwo();
    await one.putMany(Array.from({ length: 400 }, (_, n) => ({ id: `near ${n}`, content: 'abc cab' })));
    await one.putMany(
      Array.from({ length: 10 }, (_, n) => ({ id: `far ${n}`, content: `abc cab xyz${'x'.repeat(n)}` })),
    );
    await other.search(QUERY);
    for (let n = 0; n < 400; n++) await one.delete(`near ${n}`);
    expect(await found(other)).toHaveLength(10);
  });

  it('compares with exactly the vectors that exist after other instances put, replaced and deleted records', {
    tags: ['nightly'],
  }, async () => {
    const { one, other, memory } = openTwo();
    for (const store of [one, memory]) await store.putMany(inputsOf(1_200));
    await expectSame(other, memory);
    for (const store of [one, memory]) {
      await store.delete('3');
      await store.put({ id: '4', content: 'xyzzy xyzzy' });
      await store.put({ id: '5', content: 'abc', index: false });
      await store.put({ id: 'new', content: 'cab bac' });
    }
    expect(await expectSame(other, memory)).toContain('new');
    for (let n = 100; n < 1_150; n++) for (const store of [one, memory]) await store.delete(`${n}`);
    await expectSame(other, memory);
    const ids = (await memory.list({ limit: 1_000 })).items.map(({ id }) => id);
    for (const id of ids) for (const store of [one, memory]) await store.delete(id);
    expect(await found(other)).toEqual([]);
    for (const store of [one, memory]) await store.putMany(inputsOf(20));
    expect(await expectSame(other, memory)).toHaveLength(10);
  });

  it('orders records that are equally near by their creation, also those of a large batch', async () => {
    const { one } = openTwo();
    await one.putMany(Array.from({ length: 600 }, (_, n) => ({ id: `${n}`, content: 'abc cab bca acb bac cba' })));
    expect(await found(one)).toEqual(Array.from({ length: 10 }, (_, n) => `${599 - n}`));
  });

  it('ignores the vectors of expired records', async () => {
    const { one, other, memory } = openTwo();
    const inputs = inputsOf(90, (n) => (n % 2 ? { ttlMs: 400 } : {}));
    for (const store of [one, memory]) await store.putMany(inputs);
    expect(await found(other)).toHaveLength(10);
    await wait(450);
    const ids = await expectSame(other, memory, { maxSearchResults: 90 });
    expect(ids).toHaveLength(45);
    expect(ids.filter((id) => Number(id) % 2)).toEqual([]);
  });

  it('finds as many records as requested that pass a filter, however many nearer ones fail it', async () => {
    const { one, memory } = openTwo();
    const NEAR = rounds(2_500, 1_200);
    const inputs = inputsOf(NEAR + 100, (n) => ({
      content: n < NEAR ? `abc cab ${'a'.repeat(n % 30)}` : `xyz ${'z'.repeat(n % 40)} ${letters(n)}`,
      metadata: { topic: n < NEAR ? 'near' : 'far', n },
      ...(n % 3 === 0 ? { turn: { thread: `t${n % 2}`, index: n } } : {}),
    }));
    for (const store of [one, memory]) await store.putMany(inputs);
    expect(await expectSame(one, memory, { filter: { topic: 'far' } })).toHaveLength(10);
    expect(await expectSame(one, memory, { filter: { topic: 'far' }, maxSearchResults: 200 })).toHaveLength(100);
    expect(await expectSame(one, memory, { filter: { n: NEAR + 99 } })).toEqual([`${NEAR + 99}`]);
    expect(await expectSame(one, memory, { filter: { topic: 'none' } })).toEqual([]);
  });

  it('ranks by words and meaning together, and includes the turns around the matches of both', async () => {
    const { one, memory } = openTwo();
    const inputs = inputsOf(300, (n) => ({
      content: `${n % 40 === 7 ? 'lighthouse ' : ''}${letters(n)}${n % 9 === 0 ? '?' : ''}`,
      metadata: { part: n % 4 },
      turn: { thread: `t${n % 3}`, index: n, speaker: ['user', 'assistant', 'Ada'][n % 3] as string },
    }));
    for (const store of [one, memory]) await store.putMany(inputs);
    for (const query of [QUERY, 'the lighthouse', 'lighthouse cba bca?', 'What did you say about bca?']) {
      for (const options of [{}, { filter: { part: 1 } }, { maxSearchResults: 50 }, { minScore: 0.2 }]) {
        await expectSame(one, memory, { ...options, explain: true }, query);
      }
    }
    // A neighbour that has no word of the query is found by its meaning.
    const [best] = await one.search('lighthouse', { explain: true });
    expect(best?.explanation?.sum).toMatchObject({ meaning: expect.any(Number), words: expect.any(Number) });
  });
});
