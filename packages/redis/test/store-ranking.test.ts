import { InMemoryStore } from '@keepsake/in-memory';
import { describeSameRanking } from '@keepsake/suites/stores/same-ranking';
import { describe, expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';

const shared = sharedRedis();

function open(options: object = {}): RedisStore {
  return new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory', ...options });
}

describeSameRanking('RedisStore', {
  open,
  memory: (options) => new InMemoryStore({ name: 'memory', ...options }),
  embedder: fakeEmbedder,
});

describe('Limits of search in RedisStore', () => {
  it('tells only the user and the assistant apart if there are more than 200 speakers', async () => {
    const store = open();
    const inputs = Array.from({ length: 260 }, (_, n) => ({
      id: `${n}`,
      content: n % 2 ? 'the lighthouse' : 'a guitar',
      turn: { thread: 'a', index: n, speaker: `Ada ${n}` },
    }));
    const roles = ['user', 'assistant', 'Ada 7'].map((speaker, n) => ({
      id: speaker,
      content: 'Always show the lighthouse',
      turn: { thread: `b${n}`, index: 0, speaker },
    }));
    await store.putMany([...inputs, ...roles]);
    const found = await store.search('What did Ada 7 say about the lighthouse?', {
      maxSearchResults: 200,
      explain: true,
    });
    expect(found.filter(({ content }) => content === 'the lighthouse')).toHaveLength(130);
    expect(found.filter(({ explanation }) => explanation?.factors.speaker !== 1)).toEqual([]);
    const factors = new Map(found.map(({ id, explanation }) => [id, explanation?.factors]));
    expect(factors.get('user')).toMatchObject({ role: 2, instructs: 2 });
    expect(factors.get('assistant')).toMatchObject({ role: 1, instructs: 1 });
    expect(factors.get('Ada 7')).toMatchObject({ role: 1, instructs: 1 });
  });

  it('does not treat turns with over 100 missing indexes between them as neighbours', async () => {
    const store = open();
    const indexes = [0, 1, 3, 5_000, 2 ** 31, 2 ** 40, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER];
    const inputs = indexes.map((index, n) => ({ id: `${n}`, content: `tea ${n}`, turn: { thread: 'a', index } }));
    await store.putMany(inputs);
    const found = await store.search('tea', { explain: true });
    expect(found.map(({ id }) => id).sort()).toEqual(inputs.map(({ id }) => id));
    const alone = found.filter(({ explanation }) => !explanation?.sum.neighbours).map(({ id }) => id);
    expect(alone.sort()).toEqual(['3', '4', '7']);
    await store.putMany(inputs.map((input) => ({ ...input, content: `milk ${input.id}` })));
    for (const { id } of inputs) expect(await store.delete(id)).toBe(true);
    expect(await store.search('tea milk')).toEqual([]);
  });
});
