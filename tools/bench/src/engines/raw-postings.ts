import type { Engine, OpenEngine, Setting } from './engine.ts';
import { wordsOf } from './stop-words.ts';

/** The entries with a word, and how often each has it. */
interface Postings {
  readonly places: number[];
  readonly counts: number[];
}

/** The raw limit of a search in memory: scans the postings of the words and keeps the best by BM25. No stems, no records. */
export const rawPostings: Engine = {
  name: 'raw postings',
  open: async (setting) => opened(setting),
};

const K1 = 1.2;
const B = 0.75;

function opened({ stopWords }: Setting): OpenEngine {
  const postings = new Map<string, Postings>();
  const lengths: number[] = [];
  let scores = new Float64Array(0);
  let meanLength = 0;
  const keptOf = (text: string) => wordsOf(text).filter((word) => !stopWords.has(word));

  function addEntry(content: string): void {
    const words = keptOf(content);
    const place = lengths.push(words.length) - 1;
    for (const word of words) {
      const { places, counts } = postings.get(word) ?? setIn(postings, word, { places: [], counts: [] });
      if (places.at(-1) === place) counts[counts.length - 1] = (counts.at(-1) as number) + 1;
      else {
        places.push(place);
        counts.push(1);
      }
    }
  }

  function scoreWord(word: string, touched: number[]): void {
    const { places, counts } = postings.get(word) ?? { places: [], counts: [] };
    const idf = Math.log(1 + (lengths.length - places.length + 0.5) / (places.length + 0.5));
    for (let at = 0; at < places.length; at++) {
      const place = places[at] as number;
      const count = counts[at] as number;
      if (scores[place] === 0) touched.push(place);
      const norm = K1 * (1 - B + (B * (lengths[place] as number)) / meanLength);
      scores[place] = (scores[place] as number) + (idf * count * (K1 + 1)) / (count + norm);
    }
  }

  return {
    async add(entries) {
      for (const { content } of entries) addEntry(content);
      scores = new Float64Array(lengths.length);
      meanLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    },
    search(query, limit) {
      const touched: number[] = [];
      for (const word of new Set(keptOf(query))) scoreWord(word, touched);
      const best = bestOf(touched, scores, limit);
      for (const place of touched) scores[place] = 0;
      return best;
    },
  };
}

/** The places with the highest scores, best first. */
function bestOf(places: readonly number[], scores: Float64Array, limit: number): number[] {
  const best: number[] = [];
  for (const place of places) {
    const score = scores[place] as number;
    if (best.length === limit && score <= (scores[best[limit - 1] as number] as number)) continue;
    let at = best.length;
    while (at > 0 && score > (scores[best[at - 1] as number] as number)) at--;
    best.splice(at, 0, place);
    if (best.length > limit) best.pop();
  }
  return best;
}

function setIn<Value>(map: Map<string, Value>, key: string, value: Value): Value {
  map.set(key, value);
  return value;
}
