import { EmbeddedStore, RecordTable, type StoredRecord } from '@keepsake/search';
import { describe, expect, it } from 'vitest';

/** A store over one table. The embedder returns one vector for texts with "apple", and another for all others. */
function storeOf(hybrid: boolean): EmbeddedStore {
  const table = new RecordTable({ read: (record: StoredRecord) => record, ...(hybrid ? { dimensions: 2 } : {}) });
  const embed = async (texts: readonly string[]) =>
    texts.map((text) => Float32Array.from(text.includes('apple') ? [1, 0] : [0.6, 0.8]));
  return new EmbeddedStore(
    { name: 'test', ...(hybrid ? { embedder: { id: 'test', dimensions: 2, embed } } : {}) },
    {
      durable: false,
      shared: false,
      namespacesBelow: async () => [],
      nextNamespaces: async () => [],
      open: () => ({
        read: async (use) => use(table),
        change: async (decide) => {
          for (const change of decide(table)) if ('put' in change) table.put(change.put, change.put, change.vector);
        },
        clear: async () => 0,
      }),
    },
  );
}

const TURN = { thread: 'talk', speaker: 'Ada' };

describe('search with explain', () => {
  it.each([
    ['by words', false],
    ['by words and by meaning', true],
  ])('%s returns explanations that add up to the scores', async (_, hybrid) => {
    const store = storeOf(hybrid);
    await store.putMany([
      { content: 'an apple a day?', turn: { ...TURN, index: 0 } },
      { content: 'a pear', turn: { ...TURN, index: 1 } },
      { content: 'the apple was sour' },
    ]);
    const entries = await store.search('a sour apple', { explain: true });
    expect(entries).toHaveLength(3);
    for (const { score = 0, explanation = { sum: {}, factors: {} } } of entries) {
      const sum = Object.values(explanation.sum).reduce((a, b) => a + b, 0);
      expect(Object.values(explanation.factors).reduce((a, b) => a * b, sum)).toBeCloseTo(score, 12);
    }
    expect(Object.keys(entries[0]?.explanation?.sum ?? {})).toEqual(
      hybrid ? ['words', 'neighbours', 'around', 'meaning'] : ['words', 'neighbours', 'around'],
    );
  });

  it.each([undefined, {}, { explain: false }])('returns no explanations with the options %j', async (options) => {
    const store = storeOf(true);
    await store.add('apple');
    const [entry] = await store.search('apple', options);
    expect(entry?.content).toBe('apple');
    expect(entry).not.toHaveProperty('explanation');
  });
});
