import type { Steps } from '@keepsake/internal';
import type { Word } from '../text/lexicon.ts';
import { TERM_SHARES } from './bm25.ts';
import { documentOf } from './postings.ts';
import type { Scores, ScoresPool } from './scores.ts';

/** The matches of a query, word by word, for rankings that look beyond single documents. */
export interface Matches {
  /** The query's words that any document has, highest worth first. */
  readonly words: readonly FoundWord[];
  /** The documents with any of these words, unordered. */
  readonly documents: Uint32Array;
  /** By document: the BM25 score, or 0. */
  readonly scores: Float64Array;
  /** By document: which words it has, as bits, the first word in the lowest bit. Only the first 31 words. */
  readonly held: Uint32Array;
  /** By document: its age; a higher number is newer, and one below 0 means that it was removed. */
  readonly created: Float64Array;
  /** See `essayShare`. */
  readonly essays: number;
}

/** A word of the query as it was looked up. */
export interface FoundWord {
  /** Its forms in the searched languages, the query's language first. */
  readonly forms: readonly Word[];
  /** Its idf, times its weight in the query. */
  readonly worth: number;
}

/** A term of an index, or a stop word. */
export type Term = Pick<Word, 'term' | 'isStopWord'>;

/** Terms that count as one, with their postings if these had to be merged. */
export interface Source {
  readonly terms: readonly Term[];
  readonly merged: Uint32Array | undefined;
}

export interface SearchedWord extends FoundWord {
  /** Each adds to the scores. */
  readonly sources: readonly Source[];
}

/** An index as a search sees it between two of its changes. */
interface MatchedIndex {
  /** All document numbers are below. */
  readonly end: number;
  /** The creation number of the newest document so far. */
  readonly births: number;
  /** By document: its creation number, below 0 if it was removed. */
  readonly created: Float64Array;
  /** By document: the step of its length. */
  readonly lengths: Uint8Array;
}

/** Gives access to an index that can change between two steps of a search. */
export interface MatchedIndexes {
  current(): MatchedIndex;
  /** The postings of terms of documents created after `after` and up to `upTo`. Can be those of removed ones. */
  postings(terms: readonly Term[], after: number, upTo: number): Uint32Array;
}

/** How many postings are scored in one step. */
const STEP_POSTINGS = 16_384;

/** The number of query words whose documents are tracked. */
const MAX_HELD = 31;

/**
 * Scores the documents that have a word of a query, in steps between which documents can be added and removed. The documents
 * are always the current ones. What their words are worth follows from the index as it was at the beginning.
 */
export class Matching {
  /** What the document numbers belong to: see `LexicalIndex.numbering`. */
  readonly numbering: object;
  readonly #index: MatchedIndexes;
  readonly #essays: number;
  readonly #pool: ScoresPool;
  readonly #scores: Scores;
  readonly #work: Steps<void>;
  #words: readonly SearchedWord[] = [];
  #isComplete = false;
  /** Documents created up to this have been scored, or are being scored. */
  #upTo: number;

  constructor(
    index: MatchedIndexes,
    find: Steps<readonly SearchedWord[]>,
    { numbering, essays, pool }: { readonly numbering: object; readonly essays: number; readonly pool: ScoresPool },
  ) {
    this.numbering = numbering;
    this.#index = index;
    this.#essays = essays;
    this.#pool = pool;
    this.#scores = pool.take();
    this.#upTo = index.current().births;
    this.#work = this.#scoring(find);
  }

  /** Whether all documents have their scores, but for those added since. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Does the next step. Returns whether that was the last one. */
  next(): boolean {
    this.#isComplete ||= this.#work.next().done === true;
    return this.#isComplete;
  }

  /** The matches in the current index, once it is complete. Valid until its next change. */
  current(): Matches {
    this.#scoreNew();
    const { created, end } = this.#index.current();
    this.#scores.reserve(end);
    const { documents, sums: scores, held } = this.#scores;
    const words = this.#words.map(({ forms, worth }) => ({ forms, worth }));
    return { words, documents, scores, held, created, essays: this.#essays };
  }

  /** Returns its memory. The matches are no longer valid. */
  end(): void {
    this.#pool.giveBack(this.#scores);
  }

  *#scoring(find: Steps<readonly SearchedWord[]>): Steps<void> {
    this.#words = yield* find;
    for (const [n, { sources, worth }] of this.#words.entries()) {
      for (const source of sources) {
        for (const postings of this.#pieces(source)) {
          this.#add(postings, worth, n);
          yield;
        }
      }
    }
  }

  /** The postings of a source up to now, looked up again for each piece: lists move when they grow. */
  *#pieces({ terms, merged }: Source): Iterable<Uint32Array> {
    if (merged !== undefined) {
      for (let from = 0; from < merged.length; from += STEP_POSTINGS) yield merged.subarray(from, from + STEP_POSTINGS);
      return;
    }
    for (let after = 0; ; ) {
      const piece = this.#index.postings(terms, after, this.#upTo).subarray(0, STEP_POSTINGS);
      const last = piece.at(-1);
      if (last === undefined) return;
      after = Math.abs(this.#index.current().created[documentOf(last)] as number);
      yield piece;
    }
  }

  /** Scores the documents that were added since. All words of one at once, so that its sum does not depend on when that is. */
  #scoreNew(): void {
    const { births } = this.#index.current();
    if (births === this.#upTo) return;
    for (const [n, { sources, worth }] of this.#words.entries()) {
      for (const { terms } of sources) this.#add(this.#index.postings(terms, this.#upTo, births), worth, n);
    }
    this.#upTo = births;
  }

  #add(postings: Uint32Array, worth: number, word: number): void {
    const { end, lengths } = this.#index.current();
    this.#scores.reserve(end);
    this.#scores.add(postings, worth, word < MAX_HELD ? 2 ** word : 0, lengths, TERM_SHARES);
  }
}
