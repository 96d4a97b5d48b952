import { lexiconOf } from './lexicon.ts';

/** So long a beginning has a word in common with its stem, unless it changes inside. */
const START = 2;

/**
 * English words of a list by their stems. Only words that begin like a stem in question are stemmed: all of them would take
 * the first search of a process many milliseconds.
 */
export class StemmedWords<T> {
  /** By start: the words that have not been stemmed. */
  readonly #words = new Map<string, (readonly [word: string, value: T])[]>();
  readonly #stems = new Map<string, T[]>();

  /** @param words base forms of at least two letters, each with a value */
  constructor(words: Iterable<readonly [word: string, value: T]>) {
    for (const one of words) {
      const start = one[0].slice(0, START);
      const others = this.#words.get(start);
      if (others === undefined) this.#words.set(start, [one]);
      else others.push(one);
    }
  }

  /** The values of the words with a stem, in the order of the list. */
  get(stem: string): readonly T[] {
    const start = stem.slice(0, START);
    const words = this.#words.get(start);
    if (words !== undefined) {
      this.#words.delete(start);
      for (const [word, value] of words) this.#add(word, value);
    }
    return this.#stems.get(stem) ?? [];
  }

  #add(word: string, value: T): void {
    for (const { term } of [lexiconOf('en').look(word)].flat()) {
      const others = this.#stems.get(term);
      if (others === undefined) this.#stems.set(term, [value]);
      else others.push(value);
    }
  }
}
