import type { Embedder, MemoryEntry, Namespace, RecordInput, RecordStore, SearchOptions } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';

const WORDS = 'heron alder river willow nests bird morning flight grey deep cold spring reed water fish'.split(' ');

/** A vector that follows from the words of a text alone. */
export const WORD_EMBEDDER: Embedder = {
  id: 'words',
  dimensions: WORDS.length,
  embed: async (texts) => texts.map((text) => Float32Array.from(WORDS, (word) => text.split(word).length - 1)),
};

const QUERIES = [
  'grey heron',
  'fish',
  'What did Ada say about the river?',
  'Where are the willow and the reed now?',
  'the heron of January 1 2026',
  'nothing that anybody said',
];

const RECORDS = rounds(120, 60);

const OPTIONS: readonly SearchOptions[] = [
  {},
  { maxSearchResults: 40 },
  { filter: { n: { gte: RECORDS / 2 } } },
  // All records pass.
  { filter: { n: { gte: 0 } } },
];

/** Searches over a tree of namespaces, compared with the search of one namespace that has all of its records. */
export function describeSearchTree(name: string, open: (namespace: Namespace) => RecordStore): void {
  describe(`search with descendants in ${name}`, () => {
    it('gives the entries and the scores of a single namespace with the same records', async () => {
      const [flat, tree] = [open(['flat']), open(['tree'])];
      const records = notesAndTalk(RECORDS);
      await flat.putMany(records.map(({ record }) => record));
      for (const { place, record } of records) await tree.within(place).put(record);
      for (const query of QUERIES) {
        for (const options of OPTIONS) {
          const found = await tree.search(query, { ...options, descendants: true });
          expect(shown(found), query).toEqual(shown(await flat.search(query, options)));
        }
      }
      expect((await tree.search('heron', { descendants: true })).length).toBeGreaterThan(1);
    });
  });
}

/** Notes at many places, and six conversations, each at one place. */
function notesAndTalk(count: number): { readonly place: Namespace; readonly record: RecordInput }[] {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  return texts(count).map((content, n) => {
    const record = {
      id: `${n}`,
      content,
      metadata: { n },
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
    };
    if (n % 4 !== 0) return { place: [names[n % 5] as string, `${n % 7}`], record };
    const speaker = n % 8 === 0 ? 'Ada' : 'Grace';
    const talk = (n / 4) % names.length;
    return {
      place: [names[talk] as string],
      record: { ...record, turn: { thread: `talk ${talk}`, index: n, speaker } },
    };
  });
}

/** Texts of several words, the same at each run. */
function texts(count: number): string[] {
  let state = 7;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 + next(12) }, () => WORDS[next(WORDS.length)]).join(' '),
  );
}

function shown(entries: readonly MemoryEntry[]): string[] {
  return entries.map(({ id, score }) => `${id}: ${score?.toFixed(6)}`);
}
