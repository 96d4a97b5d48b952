import { describe, expect, it } from 'vitest';
import { RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';

const shared = sharedRedis();
// No word of the query is in a record: what is found is found by its letters.
const QUERY = 'cba bca';

function openTwo() {
  const keyPrefix = freshPrefix();
  const open = (own: Partial<RedisStoreOptions> = {}) =>
    new RedisStore({ client: shared.client, keyPrefix, name: 'memory', embedder: fakeEmbedder, ...own });
  const withoutEmbedder = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
  return { one: open(), other: open(), open, withoutEmbedder };
}

async function found(store: RedisStore): Promise<string[]> {
  return (await store.search(QUERY)).map(({ id }) => String(id));
}

describe('An instance that has a copy of the vectors', () => {
  it('finds by meaning what others have put since, and no more what they have taken out', async () => {
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

  it('compares with no vector that was put without one, or of another embedder', async () => {
    const { one, other, open, withoutEmbedder } = openTwo();
    await one.putMany(['a', 'b', 'c'].map((id) => ({ id, content: `abc ${id}` })));
    expect(await found(other)).toHaveLength(3);
    await withoutEmbedder.put({ id: 'b', content: 'abc b' });
    await open({ embedder: { ...fakeEmbedder, id: 'other-16' } }).put({ id: 'a', content: 'abc a' });
    expect(await found(other)).toEqual(['c']);
  });

  it('finds as many as are asked for where hundreds before them are gone', async () => {
    const { one, other } = openTwo();
    await one.putMany(Array.from({ length: 400 }, (_, n) => ({ id: `near ${n}`, content: 'abc cab' })));
    await one.putMany(
      Array.from({ length: 10 }, (_, n) => ({ id: `far ${n}`, content: `abc cab xyz${'x'.repeat(n)}` })),
    );
    await other.search(QUERY);
    for (let n = 0; n < 400; n++) await one.delete(`near ${n}`);
    expect(await found(other)).toHaveLength(10);
  });
});
