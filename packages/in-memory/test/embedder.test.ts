import { type Embedder, isMemoryError } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

function embedder(embed: (text: string) => unknown): Embedder {
  return { id: 'fake', dimensions: 2, embed: async (texts) => texts.map(embed) as Float32Array[] };
}

function storeWith(embed: (text: string) => unknown): InMemoryStore {
  return new InMemoryStore({ name: 'facts', embedder: embedder(embed) });
}

async function refusal(call: Promise<unknown>): Promise<{ code: unknown; cause: unknown }> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isMemoryError(error) ? { code: error.code, cause: error.cause } : { code: undefined, cause: error };
}

function fails(): never {
  throw new Error('From the embedder');
}

describe('an embedder', () => {
  it.each([[undefined], ['two'], [[1]], [[1, Number.NaN]], [[1, 1e300]]])(
    'is refused if it returns %j as a vector, and the batch is not stored',
    async (vector) => {
      const store = storeWith((text) => (text === 'bad' ? vector : [1, 1]));
      await store.put({ id: 'there', content: 'good' });
      const batch = store.putMany([
        { id: 'one', content: 'good' },
        { id: 'two', content: 'bad' },
      ]);
      expect((await refusal(batch)).code).toBe('BACKEND');
      expect((await store.list()).items.map(({ id }) => id)).toEqual(['there']);
    },
  );

  it.each([
    ['bigints', () => [1n, 1n]],
    ['a getter that throws', () => Object.defineProperty([1, 1], '0', { get: () => fails() })],
    ['a proxy that throws', () => new Proxy([1, 1], { get: () => fails() })],
  ])('is refused if it returns %s as a vector, with the error as the cause', async (_name, vector) => {
    const store = storeWith(vector);
    await expect(store.put({ content: 'tea' })).rejects.toMatchObject({ code: 'BACKEND', cause: expect.any(Error) });
    await expect(store.search('tea')).rejects.toMatchObject({ code: 'BACKEND', cause: expect.any(Error) });
  });

  it('is refused if it does not return an array', async () => {
    const store = new InMemoryStore({
      name: 'facts',
      embedder: { ...embedder(() => [1, 1]), embed: async () => undefined as never },
    });
    expect((await refusal(store.search('tea'))).code).toBe('BACKEND');
  });

  it('causes a BACKEND error with its own error as the cause', async () => {
    const cause = new Error('no route');
    const store = storeWith(() => {
      throw cause;
    });
    expect(await refusal(store.put({ content: 'tea' }))).toEqual({ code: 'BACKEND', cause });
    expect(await refusal(store.search('tea'))).toEqual({ code: 'BACKEND', cause });
  });

  it('can stop on abort, and the call rejects with ABORTED', async () => {
    const store = new InMemoryStore({
      name: 'facts',
      embedder: {
        ...embedder(() => [1, 1]),
        embed: (_, options) =>
          new Promise((_resolve, reject) => {
            options?.signal?.addEventListener('abort', () => reject(options.signal?.reason));
          }),
      },
    });
    const abort = new AbortController();
    const search = refusal(store.search('tea', { signal: abort.signal }));
    abort.abort();
    expect((await search).code).toBe('ABORTED');
  });

  it('never receives records that are excluded from search', async () => {
    const seen: string[] = [];
    const store = storeWith((text) => {
      seen.push(text);
      return text === 'east' ? [1, 0] : [0, 1];
    });
    await store.put({ content: 'secret', index: false });
    await store.putMany([
      { content: 'another secret', index: false },
      { id: 'east', content: 'east' },
      { id: 'north', content: 'north' },
    ]);
    expect(seen).toEqual(['east', 'north']);
    expect((await store.search('east')).map(({ id }) => id)).toEqual(['east', 'north']);
  });

  it('can reuse its arrays', async () => {
    const shared = new Float32Array(2);
    const store = storeWith((text) => {
      shared.set(text === 'east' ? [1, 0] : [0, 1]);
      return shared.subarray();
    });
    await store.put({ id: 'east', content: 'east' });
    await store.put({ id: 'north', content: 'north' });
    shared.fill(9);
    expect((await store.search('east'))[0]?.id).toBe('east');
  });
});

describe('a hybrid search', () => {
  it('returns equally good entries newest first', async () => {
    const store = storeWith((text) => (text.includes('leaf') ? [0, 1] : [1, 0]));
    await store.put({ id: 'old', content: 'tea old' });
    await store.put({ id: 'other', content: 'leaf' });
    await store.put({ id: 'new', content: 'tea new' });
    expect((await store.search('tea')).map(({ id }) => id)).toEqual(['new', 'old', 'other']);
  });

  it('ranks matches by words and meaning before matches by one of them', async () => {
    const store = storeWith((text) => (text.startsWith('nearby') || text === 'tea' ? [1, 0] : [0, 1]));
    await store.putMany([
      { id: 'both', content: 'nearby tea' },
      { id: 'words', content: 'remote tea' },
      { id: 'meaning', content: 'nearby leaf' },
      { id: 'neither', content: 'remote leaf' },
    ]);
    const found = await store.search('tea', { explain: true });
    expect(found.map(({ id }) => id)).toEqual(['both', 'words', 'meaning', 'neither']);
    const sums = found.map(({ explanation }) => [
      explanation?.sum.words !== 0,
      Number(explanation?.sum.meaning) > 0.02,
    ]);
    expect(sums).toEqual([
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  it('finds a single record by meaning alone, and orders distant records by distance', async () => {
    const vectors = new Map([
      ['question', [1, 0]],
      ['far', [-0.5, 1]],
      ['farther', [-1, 0]],
      ['near', [1, 0.1]],
    ]);
    const store = storeWith((text) => vectors.get(text) ?? [0, 1]);
    await store.put({ id: 'far', content: 'far' });
    expect((await store.search('question')).map(({ id }) => id)).toEqual(['far']);
    await store.putMany(['farther', 'near'].map((content) => ({ id: content, content })));
    expect((await store.search('question')).map(({ id }) => id)).toEqual(['near', 'far', 'farther']);
  });
});
