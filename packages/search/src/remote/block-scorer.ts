import { type LengthNorm, termShares } from '../lexical/bm25.ts';
import { TopK } from '../lexical/top-k.ts';
import {
  BLOCK_SIZE,
  type BlockPostings,
  blockOf,
  findPosting,
  firstDocumentOf,
  POSTING_BYTES,
  placeOf,
} from './block-postings.ts';
import type { WorkSteps } from './work-steps.ts';

/** A word with its postings, or a group of terms related to it. */
interface ScoredWord {
  readonly postings: BlockPostings;
  readonly worth: number;
}

export interface Scored {
  readonly id: number;
  readonly score: number;
}

/** Which documents to score. */
interface ScoredDocuments {
  /** Only those that come after this one. */
  readonly after?: Scored | undefined;
  /** Only these, by block: their places. */
  readonly among?: PlacesByBlock | undefined;
}

export type PlacesByBlock = ReadonlyMap<number, readonly number[]>;

/** How many words `RemoteMatch.held` tells apart. */
const MAX_HELD = 31;

/** How many bytes of a list cost as much to read as finding one posting in it. */
const PROBE_COST = 64;
const ROUNDING = 1e-9;

/** Scratch memory of `BlockScorer.best`, all 0 between calls. */
const scores = new Float64Array(BLOCK_SIZE);
const touched = new Uint16Array(BLOCK_SIZE);
/** 1 for the places of `among`. */
const wanted = new Uint8Array(BLOCK_SIZE);

/** Scores documents by BM25. */
export class BlockScorer {
  /** Highest worth first. */
  readonly #words: readonly ScoredWord[];
  /** By word: the score of a posting, by its `quantizedFrequency`. */
  readonly #shares: readonly Float64Array[];
  /** By word: the highest of its shares. */
  readonly #most: readonly number[];

  constructor(words: readonly ScoredWord[], norm: LengthNorm) {
    const shares = termShares(norm);
    this.#words = words;
    this.#shares = words.map(({ worth }) => shares.map((share) => worth * share));
    this.#most = this.#shares.map((all) => Math.max(0, ...all));
  }

  /** The documents with the highest scores, best first, newest first on ties. Works in steps. */
  async best(limit: number, steps: WorkSteps, { after, among }: ScoredDocuments = {}): Promise<readonly Scored[]> {
    const best = new TopK(limit);
    const blocks = among ?? new Set(this.#words.flatMap(({ postings }) => [...postings.keys()]));
    for (const block of blocks.keys()) {
      if (steps.isDue) await steps.pause();
      const places = among?.get(block);
      if (places === undefined) this.#offerBlock(block, best, after);
      else this.#offerPlaces(block, places, best, after);
    }
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

  /**
   * Most of the time of a search is spent here. Words whose worths together can't reach the worst kept score only add to
   * documents that have another word: common words of a query with rare ones are hardly read.
   */
  #offerBlock(block: number, best: TopK, after: Scored | undefined): void {
    let count = 0;
    let rest = this.#highestIn(block);
    const bound = best.floor;
    for (const [word, { postings }] of this.#words.entries()) {
      const lists = postings.get(block);
      if (lists === undefined) continue;
      // Sums in another order differ in the last digits.
      const isEnough = rest * (1 + ROUNDING) < bound;
      rest -= this.#highest(word, lists.length);
      for (const list of lists) {
        count = isEnough
          ? addToScored(list, this.#shares[word] as Float64Array, count)
          : addAll(list, this.#shares[word] as Float64Array, count);
      }
    }
    offerScored(block, touched.subarray(0, count), best, after);
  }

  /** Scores only the documents at some places. */
  #offerPlaces(block: number, places: readonly number[], best: TopK, after: Scored | undefined): void {
    if (this.#highestIn(block) * (1 + ROUNDING) < best.floor) return;
    for (const place of places) wanted[place] = 1;
    for (const [word, { postings }] of this.#words.entries()) {
      for (const list of postings.get(block) ?? []) addToWanted(list, this.#shares[word] as Float64Array, places);
    }
    for (const place of places) wanted[place] = 0;
    offerScored(block, places, best, after);
  }

  /** The highest score that a document of a block can have. */
  #highestIn(block: number): number {
    let highest = 0;
    for (const [word, { postings }] of this.#words.entries()) {
      highest += this.#highest(word, postings.get(block)?.length ?? 0);
    }
    return highest;
  }

  /** The highest score that this many lists of a word can give a document. */
  #highest(word: number, lists: number): number {
    return (this.#most[word] as number) * lists;
  }
}

/** Adds the scores of all postings to their documents. Returns how many documents have a score. */
function addAll(list: Uint8Array, shares: Float64Array, scored: number): number {
  let count = scored;
  for (let at = 0; at < list.length; at += POSTING_BYTES) {
    const place = (list[at] as number) | ((list[at + 1] as number) << 8);
    const before = scores[place] as number;
    if (before === 0) touched[count++] = place;
    scores[place] = before + (shares[list[at + 2] as number] as number);
  }
  return count;
}

/** Adds the scores of postings to the documents that have one already. */
function addToScored(list: Uint8Array, shares: Float64Array, scored: number): number {
  if (scored * PROBE_COST < list.length) {
    for (let n = 0; n < scored; n++) {
      const place = touched[n] as number;
      const at = findPosting(list, place);
      if (at >= 0) scores[place] = (scores[place] as number) + (shares[list[at + 2] as number] as number);
    }
    return scored;
  }
  for (let at = 0; at < list.length; at += POSTING_BYTES) {
    const place = (list[at] as number) | ((list[at + 1] as number) << 8);
    const before = scores[place] as number;
    if (before !== 0) scores[place] = before + (shares[list[at + 2] as number] as number);
  }
  return scored;
}

/** Adds the scores of postings to the documents at the places that are `wanted`. */
function addToWanted(list: Uint8Array, shares: Float64Array, places: readonly number[]): void {
  if (places.length * PROBE_COST < list.length) {
    for (const place of places) {
      const at = findPosting(list, place);
      if (at >= 0) scores[place] = (scores[place] as number) + (shares[list[at + 2] as number] as number);
    }
    return;
  }
  for (let at = 0; at < list.length; at += POSTING_BYTES) {
    const place = (list[at] as number) | ((list[at + 1] as number) << 8);
    if (wanted[place] === 1) scores[place] = (scores[place] as number) + (shares[list[at + 2] as number] as number);
  }
}

/** Offers the documents at some places that have a score, and clears the scores. */
function offerScored(block: number, places: ArrayLike<number>, best: TopK, after: Scored | undefined): void {
  const first = firstDocumentOf(block);
  let { floor } = best;
  for (let n = 0; n < places.length; n++) {
    const place = places[n] as number;
    const score = scores[place] as number;
    scores[place] = 0;
    // Rejects most of them.
    if (score < floor || score === 0) continue;
    if (after !== undefined && (score > after.score || (score === after.score && first + place >= after.id))) continue;
    best.offer(first + place, score, first + place);
    floor = best.floor;
  }
}
