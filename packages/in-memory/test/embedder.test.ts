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

describe('an embedder', () => {
  it.each([[undefined], ['two'], [[1]], [[1, Number.NaN]], [[1, 1e300]]])(
    'that gives %j for a vector is refused, and the batch is none',
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

  it('that gives no list of vectors is refused', async () => {
    const store = new InMemoryStore({
      name: 'facts',
      embedder: { ...embedder(() => [1, 1]), embed: async () => undefined as never },
    });
    expect((await refusal(store.search('tea'))).code).toBe('BACKEND');
  });

  it('that fails is the cause of the failure', async () => {
    const cause = new Error('no route');
    const store = storeWith(() => {
      throw cause;
    });
    expect(await refusal(store.put({ content: 'tea' }))).toEqual({ code: 'BACKEND', cause });
    expect(await refusal(store.search('tea'))).toEqual({ code: 'BACKEND', cause });
  });

  it('that stops when the caller aborts leaves the call aborted', async () => {
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

  it('never sees what is kept out of search', async () => {
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

  it('may use its arrays again', async () => {
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
  it('gives the newest first of entries that fit alike', async () => {
    // Each is the first of one list and the second of the other.
    const store = storeWith((text) => (text.includes('old') ? [1, 0.5] : [1, 0]));
    await store.put({ id: 'old', content: 'tea tea old' });
    await store.put({ id: 'new', content: 'tea words' });
    expect((await store.search('tea')).map(({ id }) => id)).toEqual(['new', 'old']);
  });

  it('finds what stands low in both lists, where that is more than high in one', async () => {
    const store = storeWith((text) => {
      const [kind, place] = text.split(' ', 2);
      if (kind === 'words') return [0, 1];
      return kind === 'near' ? [1, Number(place) / 1_000] : [1, kind === 'both' ? 1 : 0];
    });
    const places = Array.from({ length: 100 }, (_, place) => place);
    await store.putMany([
      { id: 'both', content: `both 1 tea${' leaf'.repeat(120)}` },
      ...places.map((place) => ({ content: `words ${place} tea` })),
      ...places.map((place) => ({ content: `near ${place}` })),
    ]);
    const found = await store.search('tea', { maxSearchResults: 95 });
    expect(found.map(({ id }) => id)).toContain('both');
  });
});
