import type { Steps } from '@keepsake/internal';
import { endsStep } from '../snapshot/ends-step.ts';
import { unusable } from '../snapshot/snapshot.ts';
import type { Postings } from './postings.ts';
import type { StoredLists } from './stored-lists.ts';
import { TermGrams } from './term-grams.ts';

/** The list of a word that is known to have none. */
const NONE = -1;

/** About how many postings are swept in one step, and how many as long as a word takes. */
const SWEPT_AT_ONCE = 2_048;
const WORD_COST = 16;
/** How many words are read by their parts in one step. */
const GRAMS_AT_ONCE = 256;

/**
 * The posting list of each word. Words of a snapshot get theirs when they are first looked up; until then, the list of such a
 * word has only what was added since.
 */
export class WordLists {
  readonly #postings: Postings;
  readonly #lists = new Map<string, number>();
  /** The lists of a snapshot, if there is one. */
  #stored: StoredLists | undefined;
  /** The words with a list that may still be in the snapshot, too. */
  readonly #partial = new Set<string>();
  /** All words by their parts, if any search has needed them. May have words without documents. */
  #grams: TermGrams | undefined;
  /** What is still missing there: how many words were read, first those of the snapshot, then others. */
  #unread: { place: number; readonly own: readonly string[] } | undefined;

  constructor(postings: Postings, stored?: StoredLists) {
    this.#postings = postings;
    this.#stored = stored;
  }

  /** The list of a word with all its documents, if there is one. */
  find(word: string): number | undefined {
    const heldList = this.#lists.get(word);
    if (this.#stored === undefined || this.#isWhole(word)) return heldList === NONE ? undefined : heldList;
    const postings = this.#stored.read(word);
    if (postings === undefined) {
      if (heldList === undefined) this.#lists.set(word, NONE);
      this.#partial.delete(word);
      return heldList;
    }
    const list = this.toAddTo(word);
    this.#postings.prepend(list, postings);
    this.#partial.delete(word);
    return list;
  }

  /** Asks for what {@link find} reads. */
  want(word: string): void {
    if (this.#stored !== undefined && !this.#isWhole(word)) this.#stored.want(word);
  }

  /** Whether all words are there and stay there. Asks for them if not. */
  keep(): boolean {
    return this.#stored?.keep() ?? true;
  }

  #isWhole(word: string): boolean {
    return this.#lists.has(word) && !this.#partial.has(word);
  }

  /** A list to which documents of a word can be added. */
  toAddTo(word: string): number {
    const heldList = this.#lists.get(word);
    if (heldList !== undefined && heldList !== NONE) return heldList;
    const list = this.#postings.open();
    this.#lists.set(word, list);
    // One that is in the snapshot, too, is there twice: to find out would read.
    this.#grams?.add(word);
    if (heldList === undefined && this.#stored !== undefined) this.#partial.add(word);
    return list;
  }

  /** The words by their parts, once {@link readGrams} has read all. */
  get grams(): TermGrams | undefined {
    return this.#unread === undefined ? this.#grams : undefined;
  }

  /** Reads some of the words by their parts, so that those of a large index take several steps. */
  readGrams(): void {
    if (this.#grams === undefined) {
      this.#grams = new TermGrams();
      this.#unread = { place: 0, own: [...this.#lists].filter(([, list]) => list !== NONE).map(([word]) => word) };
    }
    const words = this.#stored?.words;
    const stored = words?.count ?? 0;
    for (let count = 0; count < GRAMS_AT_ONCE && this.#unread !== undefined; count++) {
      const { place, own } = this.#unread;
      const word = place < stored ? words?.at(place) : own[place - stored];
      if (word === undefined) this.#unread = undefined;
      else this.#grams.add(word);
      if (this.#unread !== undefined) this.#unread.place++;
    }
  }

  /** Looks up all words of the snapshot. */
  *loading(): Steps<void> {
    const { words } = this.#stored ?? {};
    for (let number = 0; number < (words?.count ?? 0); number++) {
      const word = words?.at(number) as string;
      if (words?.find(word) !== number) unusable();
      this.find(word);
      if (endsStep(number)) yield;
    }
  }

  /**
   * Drops the postings of removed documents from all lists, and lists without any others. Reads the rest of the snapshot first,
   * so that nothing refers to the documents any more.
   */
  *sweeping(isAlive: (document: number) => boolean): Steps<void> {
    yield* this.loading();
    this.#stored = undefined;
    this.#partial.clear();
    if (this.#unread !== undefined) this.#forgetGrams();
    let swept = 0;
    for (const [word, list] of this.#lists) {
      const size = list === NONE ? 0 : this.#sweep(list, isAlive);
      if (size === 0) this.#forget(word);
      swept += WORD_COST + size;
      if (swept < SWEPT_AT_ONCE) continue;
      swept = 0;
      yield;
    }
  }

  #forget(word: string): void {
    this.#lists.delete(word);
    this.#forgetGrams();
  }

  #forgetGrams(): void {
    this.#grams = undefined;
    this.#unread = undefined;
  }

  /** Returns how many postings the list had to be looked through for; 0 if none is left. */
  #sweep(list: number, isAlive: (document: number) => boolean): number {
    const before = this.#postings.of(list).length;
    this.#postings.prune(list, isAlive);
    if (this.#postings.of(list).length > 0) {
      this.#postings.shrink(list);
      return before;
    }
    this.#postings.close(list);
    return 0;
  }

  /** All words, each once. Words can be looked up, but none added, while this runs. */
  *words(): Iterable<string> {
    const { words } = this.#stored ?? {};
    const heldWords = [...this.#lists.keys()];
    for (let number = 0; number < (words?.count ?? 0); number++) yield words?.at(number) as string;
    for (const word of heldWords) if (words?.find(word) === undefined) yield word;
  }

  /** The postings of a word, without keeping any in memory. Valid until the next change. */
  peek(word: string): Uint32Array {
    const list = this.#lists.get(word) ?? NONE;
    const own = list === NONE ? new Uint32Array(0) : this.#postings.of(list);
    const isWhole = list !== NONE && !this.#partial.has(word);
    const stored = isWhole ? undefined : this.#stored?.read(word);
    if (stored === undefined) return own;
    const all = new Uint32Array(stored.length + own.length);
    all.set(stored);
    all.set(own, stored.length);
    return all;
  }
}
