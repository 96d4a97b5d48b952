import { type LengthNorm, TopK, termShares } from '@keepsake/search/remote';
import { BLOCK_SIZE, blockOf, findPosting, firstDocumentOf, POSTING_BYTES, placeOf } from './postings.ts';
import type { BlockPostings } from './query-postings.ts';

/** A word with its postings, or a group of terms related to it. */
export interface ScoredWord {
  readonly postings: BlockPostings;
  readonly worth: number;
}

/** How many words `RemoteMatch.held` tells apart. */
const MAX_HELD = 31;

/** Scratch memory of `Scorer.best`, all 0 between calls. */
const scores = new Float64Array(BLOCK_SIZE);
const touched = new Uint16Array(BLOCK_SIZE);

/** Scores documents by BM25. */
export class Scorer {
  /** Highest worth first. */
  readonly #words: readonly ScoredWord[];
  /** By word: the score of a posting, by its `quantizedFrequency`. */
  readonly #shares: readonly Float64Array[];

  constructor(words: readonly ScoredWord[], norm: LengthNorm) {
    const shares = termShares(norm);
    this.#words = words;
    this.#shares = words.map(({ worth }) => shares.map((share) => worth * share));
  }

  /** The documents with the highest scores, best first, newest first on ties. */
  best(limit: number): readonly { readonly id: number; readonly score: number }[] {
    const best = new TopK(limit);
    const blocks = new Set(this.#words.flatMap(({ postings }) => [...postings.keys()]));
    for (const block of blocks) this.#offerBlock(block, best);
    return best.ranked();
  }

  /** The score of a document, and its words as bits, the first one in the lowest bit. */
  of(document: number): { readonly score: number; readonly held: number } {
    const [block, place] = [blockOf(document), placeOf(document)];
    let [score, held] = [0, 0];
    for (const [word, { postings }] of this.#words.entries()) {
      const before = score;
      for (const list of postings.get(block) ?? []) {
        const at = findPosting(list, place);
        if (at >= 0) score += (this.#shares[word] as Float64Array)[list[at + 2] as number] as number;
      }
      if (score > before && word < MAX_HELD) held += 2 ** word;
    }
    return { score, held };
  }

  /** Most of the time of a search is spent here. */
  #offerBlock(block: number, best: TopK): void {
    let count = 0;
    for (const [word, { postings }] of this.#words.entries()) {
      const shares = this.#shares[word] as Float64Array;
      for (const list of postings.get(block) ?? []) {
        for (let at = 0; at < list.length; at += POSTING_BYTES) {
          const place = (list[at] as number) | ((list[at + 1] as number) << 8);
          const before = scores[place] as number;
          if (before === 0) touched[count++] = place;
          scores[place] = before + (shares[list[at + 2] as number] as number);
        }
      }
    }
    const first = firstDocumentOf(block);
    let { floor } = best;
    for (let n = 0; n < count; n++) {
      const place = touched[n] as number;
      const score = scores[place] as number;
      scores[place] = 0;
      // Rejects most of them.
      if (score < floor) continue;
      best.offer(first + place, score, first + place);
      floor = best.floor;
    }
  }
}
