import { analyse } from '@keepsake/search';
import type { Engine, OpenEngine } from './engine.ts';
import { partsOf } from './parts.ts';

/** Plain BM25 with the usual k1 and b over any units of text. */
export const bm25Bigrams = bm25('BM25, character bigrams', (text) => partsOf(text, 2));

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

export const bm25Segments = bm25('BM25, Intl.Segmenter words', (text) =>
  Array.from(segmenter.segment(text.toLowerCase()), ({ segment, isWordLike }) => (isWordLike ? segment : '')).filter(
    (word) => word !== '',
  ),
);

/** Over Keepsake's terms, so that only the ranking differs. */
export const bm25Terms = bm25('BM25, Keepsake’s terms', (text) => analyse(text));

const K1 = 1.2;
const B = 0.75;

function bm25(name: string, unitsOf: (text: string) => readonly string[]): Engine {
  return { name, open: async () => opened(unitsOf) };
}

function opened(unitsOf: (text: string) => readonly string[]): OpenEngine {
  /** By unit: how often each entry has it. */
  const postings = new Map<string, Map<number, number>>();
  const lengths: number[] = [];
  let total = 0;
  return {
    async add(entries) {
      for (const [place, { content }] of entries.entries()) {
        const units = unitsOf(content);
        total += lengths[place] = units.length;
        for (const unit of units) {
          const held = postings.get(unit) ?? new Map<number, number>();
          held.set(place, (held.get(place) ?? 0) + 1);
          postings.set(unit, held);
        }
      }
    },
    search(query, limit) {
      const scores = new Map<number, number>();
      for (const unit of new Set(unitsOf(query))) {
        const held = postings.get(unit) ?? new Map<number, number>();
        const idf = Math.log(1 + (lengths.length - held.size + 0.5) / (held.size + 0.5));
        for (const [place, times] of held) {
          const length = ((lengths[place] as number) * lengths.length) / total;
          const share = (times * (K1 + 1)) / (times + K1 * (1 - B + B * length));
          scores.set(place, (scores.get(place) ?? 0) + idf * share);
        }
      }
      return [...scores]
        .sort(([, a], [, b]) => b - a)
        .slice(0, limit)
        .map(([place]) => place);
    },
  };
}
