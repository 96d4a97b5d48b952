import { grow } from '../snapshot/grow.ts';
import { Postings } from './postings.ts';

/** A term that has parts in common with a word. */
export interface SimilarTerm {
  readonly term: string;
  /** From {@link MIN_SIMILARITY} to 1. */
  readonly similarity: number;
}

/** Marks the start of a term, because terms that begin alike have more in common than others. */
const START = '\u0002';
/** Scripts in which a character is a syllable or more. */
const SYLLABLES = /[\p{scx=Hangul}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const DIGIT = /\p{N}/u;

/** Less than this is a coincidence. */
const MIN_SIMILARITY = 0.4;
/** A term that contains the word, such as a compound, and one that the word contains. */
const CONTAINS_WORD = 0.8;
const IN_WORD = 0.6;
/** One gram in common is no part. */
const MIN_SHARED = 2;
/** A gram of more terms than this, such as a common prefix, tells nothing, and would take long. */
const MAX_TERMS = 16_384;

/**
 * The terms of an index by the groups of characters in them: three letters, or two syllables. It knows each distinct term
 * once, so it is far smaller than an index of such groups in texts.
 */
export class TermGrams {
  readonly #terms: string[] = [];
  /** By term: the number of its grams. */
  #sizes = new Uint8Array(16);
  /** By gram: a list of terms. */
  readonly #lists = new Map<number, number>();
  readonly #postings = new Postings();
  /** By term. Scratch memory, all 0 between calls. */
  #shared = new Uint8Array(16);

  add(term: string): void {
    const grams = gramsOf(term);
    if (grams.size < MIN_SHARED) return;
    const number = this.#terms.push(term) - 1;
    this.#sizes = grow(this.#sizes, number + 1);
    this.#shared = grow(this.#shared, number + 1);
    this.#sizes[number] = grams.size;
    for (const gram of grams) {
      let list = this.#lists.get(gram);
      if (list === undefined) {
        list = this.#postings.open();
        this.#lists.set(gram, list);
      }
      this.#postings.append(list, number);
    }
  }

  /** The other terms that have parts in common with a word and are at least so similar, the most similar first. */
  similarTo(word: string, least = MIN_SIMILARITY): SimilarTerm[] {
    const grams = gramsOf(word);
    const touched: number[] = [];
    for (const gram of grams) {
      const list = this.#lists.get(gram);
      const terms = list === undefined ? [] : this.#postings.of(list);
      if (terms.length > MAX_TERMS) continue;
      for (const number of terms) {
        const shared = this.#shared[number] as number;
        if (shared === 0) touched.push(number);
        this.#shared[number] = shared + 1;
      }
    }
    const from = Math.max(least, MIN_SIMILARITY);
    const similar: SimilarTerm[] = [];
    for (const number of touched) {
      const shared = this.#shared[number] as number;
      this.#shared[number] = 0;
      if (shared < MIN_SHARED) continue;
      const similarity = similarityOf(shared, grams.size, this.#sizes[number] as number);
      if (similarity < from) continue;
      const term = this.#terms[number] as string;
      if (term !== word) similar.push({ term, similarity });
    }
    return mostSimilar(similar);
  }
}

/** In an order that does not depend on that of the terms. */
export function mostSimilar(similar: readonly SimilarTerm[]): SimilarTerm[] {
  return similar.toSorted((a, b) => b.similarity - a.similarity || (a.term < b.term ? -1 : 1));
}

/** Dice's coefficient, or how much of the one is in the other. */
function similarityOf(shared: number, ofWord: number, ofTerm: number): number {
  return Math.max((2 * shared) / (ofWord + ofTerm), (CONTAINS_WORD * shared) / ofWord, (IN_WORD * shared) / ofTerm);
}

/** Whether other terms can have parts in common with a term. */
export function hasParts(term: string): boolean {
  return term.length >= MIN_SHARED && !DIGIT.test(term);
}

/** Hashes of the grams of a term. None for numbers and ids: 2023 is not 2024, and A-17 is not A-18. */
function gramsOf(term: string): Set<number> {
  const grams = new Set<number>();
  if (!hasParts(term)) return grams;
  const size = SYLLABLES.test(term) ? 2 : 3;
  const text = START + term;
  for (let start = 0; start + size <= text.length; start++) {
    let hash = 0;
    for (let at = start; at < start + size; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) + 0x9e3779b;
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    // Small integers take less memory.
    grams.add((hash ^ (hash >>> 13)) & 0x3fffffff);
  }
  return grams;
}
