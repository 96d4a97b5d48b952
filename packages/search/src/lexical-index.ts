import { type Analyser, analyserOf } from './analyser.ts';
import { analysisOf } from './analysis-version.ts';
import { idf, type LengthNorm, lengthNorm, termShares } from './bm25.ts';
import { DocumentLanguages } from './document-languages.ts';
import { grow } from './grow.ts';
import type { Language } from './language.ts';
import type { Word } from './lexicon.ts';
import { NumberReader, NumberWriter } from './numbers.ts';
import { MAX_DOCUMENTS, Postings } from './postings.ts';
import type { QueryWord } from './read-query.ts';
import { RowReader, RowWriter } from './rows.ts';
import { Scores } from './scores.ts';
import {
  decodeTexts,
  encodeList,
  ifUsable,
  readSnapshot,
  type SectionReader,
  unusable,
  writeSnapshot,
} from './snapshot.ts';
import { LENGTH_STEPS, lengthStep } from './tf-quantizer.ts';
import { TopK } from './top-k.ts';

/** Dead documents are swept out when they are as many as this, and half as many as the living. */
const MIN_DEAD = 1024;

export interface LexicalIndexOptions {
  /** The language of the documents and of the queries. By default each text is of the one that it seems to be in. */
  readonly language?: Language | undefined;
}

export interface LexicalSearchOptions {
  /** At most so many hits, the best ones. Default 10. */
  readonly limit?: number;
  /**
   * Only documents for which it returns true are ranked, so that `limit` hits are found wherever so many pass. It is
   * asked about each document at most once, not about all, and must neither search this index nor change it.
   */
  readonly filter?: (document: number) => boolean;
  /** Hits below it are left out. Scores are unbounded and compare only within one search. Default: none. */
  readonly minScore?: number;
}

export interface LexicalHit {
  readonly document: number;
  /** BM25: above 0, no upper bound. */
  readonly score: number;
}

/** What a query finds word by word, for rankings that look beyond the single document. */
export interface Matches {
  /** What was looked for and is there, what is worth most first. */
  readonly words: readonly FoundWord[];
  /** The documents that hold any of them, in no order. */
  readonly documents: Uint32Array;
  /** By document: the sum of what its words give; 0 where it holds none. */
  readonly scores: Float64Array;
  /** By document: which words it holds, the first in the lowest bit. Of the words, the first 31 alone. */
  readonly held: Uint32Array;
  /** By document: when it came; a higher number is newer. */
  readonly born: Float64Array;
  /** How much the lengths of documents vary, from 0 to 1: see `lengthNorm`. */
  readonly variety: number;
}

/** What was looked for under a word of the query. */
export interface FoundWord {
  /** The word in the languages that it was looked for in, that of the query first. */
  readonly forms: readonly Word[];
  /** Its idf, times its weight in the query. */
  readonly worth: number;
}

interface Found extends FoundWord {
  readonly postings: readonly Uint32Array[];
}

/** Terms that are looked for as if they were one. */
export interface TermGroup {
  readonly terms: readonly string[];
  /** What they count, above 0. */
  readonly weight: number;
}

/** What a ranking knows of words. */
export interface WordKnowledge {
  /** What else is looked for where a query names a word. */
  related(word: Word): readonly TermGroup[];
  /** How many documents are to be taken for holding a word, at least, even where they don't: a name that goes without saying. */
  holders(word: Word): number;
}

/** Of so many words of a query it is known which document holds them. */
const MAX_HELD = 31;

/**
 * A full-text index that is kept up to date document by document, ranking by BM25 with weights that follow how much
 * lengths vary. It holds no texts: documents are
 * numbers that `add` hands out, small ones from 0 up, which are handed out again some time after their removal, so
 * that the caller can keep what belongs to them in arrays.
 *
 * Removed documents leave no trace: scores are to the last bit those of an index built afresh from the documents that
 * are there, in the same order.
 */
export class LexicalIndex {
  readonly #language: Language | undefined;
  readonly #analyser: Analyser;
  /** Which list holds the postings of a term. */
  #termLists = new Map<string, number>();
  /** Apart from the terms, because "will" is also the stem of "wills". */
  #stopWordLists = new Map<string, number>();
  #postings = new Postings();
  /** Of each document the step of its length, stop words not counted: see `tf-quantizer.ts`. */
  #length = new Uint8Array(16);
  #languages = new DocumentLanguages();
  /** Of each document when it came, counted from 1; 0 where there is none. */
  #born = new Float64Array(16);
  #births = 0;
  #size = 0;
  /** Of the lengths of all documents, the sum, and that of their squares. */
  #totalLength = 0;
  #totalSquares = 0;
  /** No document has had this number or a higher one. */
  #end = 0;
  #dead: number[] = [];
  #free: number[] = [];
  /** Used by searches. */
  #scores = new Scores();
  #sharesNow: { readonly norm: LengthNorm; readonly shares: Float64Array } | undefined;

  constructor(options: LexicalIndexOptions = {}) {
    this.#language = options.language;
    this.#analyser = analyserOf(this.#language);
  }

  /**
   * The index of a snapshot: it finds the same, under the same numbers and with the same scores. `undefined` for bytes
   * that are no whole snapshot, or one of another language, or of a version that stored or analysed otherwise: build the
   * index anew then. A byte that has changed may go unnoticed; at worst, other documents are found.
   */
  static restore(bytes: Uint8Array, options: LexicalIndexOptions = {}): LexicalIndex | undefined {
    const index = new LexicalIndex(options);
    return ifUsable(() => {
      index.#read(readSnapshot(index.#kind, bytes));
      return index;
    });
  }

  /**
   * All of the index as bytes, for machines of the same byte order. They hold the words of the documents, though not
   * their order, and of removed documents nothing.
   */
  snapshot(): Uint8Array {
    // What it leaves is all alive, and no list is empty.
    if (this.#dead.length > 0) this.#sweep();
    const rows = new RowWriter();
    const rankOf = new Uint32Array(this.#end);
    for (const [rank, document] of this.#documents().entries()) {
      rows.write([document, this.#length[document] as number, this.#languages.write(document)]);
      rankOf[document] = rank;
    }
    const postings = new NumberWriter();
    const lists = [...this.#termLists.values(), ...this.#stopWordLists.values()];
    postings.write(this.#postings.roomOf(lists));
    for (const list of lists) this.#postings.write(list, rankOf, postings);
    return writeSnapshot(this.#kind, {
      documents: rows.bytes,
      terms: encodeList([...this.#termLists.keys()]),
      stopWords: encodeList([...this.#stopWordLists.keys()]),
      postings: postings.bytes,
    });
  }

  /** How many documents there are. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds a text, which is then the newest, and returns its document number. A text without any word is counted in
   * `size` and never found. Throws a RangeError at 16,777,216 documents, up to a third of them ones that were removed.
   */
  add(text: string): number {
    const { terms, stopWords, language } = this.#analyser.analyse(text);
    const document = this.#takeNumber();
    for (const term of terms) this.#postings.count(this.#listOf(term, this.#termLists), document);
    for (const word of stopWords) this.#postings.count(this.#listOf(word, this.#stopWordLists), document);
    this.#languages.add(document, language);
    this.#countLength(document, lengthStep(terms.length));
    return document;
  }

  /** Puts another text in a document's place. The text is then the newest and has the number that is returned. */
  replace(document: number, text: string): number {
    this.remove(document);
    return this.add(text);
  }

  /** Whether there is a document of this number. */
  has(document: number): boolean {
    return this.#isAlive(document);
  }

  /** Removes a document; false where there is none of this number. */
  remove(document: number): boolean {
    if (!this.#isAlive(document)) return false;
    this.#born[document] = 0;
    this.#languages.remove(document);
    const length = LENGTH_STEPS[this.#length[document] as number] as number;
    this.#totalLength -= length;
    this.#totalSquares -= length ** 2;
    this.#sharesNow = undefined;
    this.#size--;
    this.#dead.push(document);
    this.#postings.outdate();
    if (this.#dead.length >= MIN_DEAD && this.#dead.length >= this.#size / 2) this.#sweep();
    return true;
  }

  /** Removes all documents. */
  clear(): void {
    this.#termLists = new Map();
    this.#stopWordLists = new Map();
    this.#postings = new Postings();
    this.#length = new Uint8Array(16);
    this.#languages = new DocumentLanguages();
    this.#born = new Float64Array(16);
    this.#scores = new Scores();
    this.#sharesNow = undefined;
    this.#size = 0;
    this.#totalLength = 0;
    this.#totalSquares = 0;
    this.#end = 0;
    this.#dead = [];
    this.#free = [];
  }

  /**
   * The documents that hold a word of the query, best first; of equal scores the newest first. The query is literal
   * text. Its stop words count only where it has no other words. Without any word: `[]`.
   */
  search(query: string, options: LexicalSearchOptions = {}): LexicalHit[] {
    const scores = this.#scores;
    scores.reserve(this.#end);
    try {
      for (const { forms, weight } of this.#wordsOf(query)) {
        const postings = this.#postingsOf(forms);
        this.#give(postings, weight * idf(this.#size, postings.length), 0);
      }
      return this.#best(options);
    } finally {
      scores.clear();
    }
  }

  /**
   * Hands the documents that hold a word of the query to `use`, which ranks them. What it is handed is good until it
   * returns; it must neither search this index nor change it.
   */
  matching<T>(query: string, knowledge: WordKnowledge, use: (matches: Matches) => T): T {
    const scores = this.#scores;
    scores.reserve(this.#end);
    const words: FoundWord[] = [];
    try {
      for (const { forms, postings, worth } of this.#found(query, knowledge)) {
        const bit = words.length < MAX_HELD ? 2 ** words.length : 0;
        for (const list of postings) this.#give(list, worth, bit);
        words.push({ forms, worth });
      }
      const { variety } = this.#shares().norm;
      return use({
        words,
        documents: scores.documents,
        scores: scores.sums,
        held: scores.held,
        born: this.#born,
        variety,
      });
    } finally {
      scores.clear();
    }
  }

  get #kind(): string {
    return `words ${analysisOf(this.#language)}`;
  }

  /** The documents in the order in which they came. */
  #documents(): number[] {
    const documents: number[] = [];
    for (let document = 0; document < this.#end; document++) if (this.#isAlive(document)) documents.push(document);
    return documents.sort((a, b) => (this.#born[a] as number) - (this.#born[b] as number));
  }

  #read(section: SectionReader): void {
    const rows = new RowReader(section('documents'), 3);
    const documents: number[] = [];
    while (!rows.atEnd) {
      const row = rows.read();
      const document = row[0] as number;
      this.#readDocument(document, row[1] as number);
      if (!this.#languages.read(document, row[2] as number)) unusable();
      documents.push(document);
    }
    for (let document = this.#end; document-- > 0; ) if (!this.#isAlive(document)) this.#free.push(document);
    const postings = new NumberReader(section('postings'));
    this.#postings.reserve(Math.min(postings.read(), 2 * section('postings').length));
    const byRank = Uint32Array.from(documents);
    this.#termLists = this.#readLists(decodeTexts(section('terms')), byRank, postings);
    this.#stopWordLists = this.#readLists(decodeTexts(section('stopWords')), byRank, postings);
    if (!postings.atEnd) unusable();
  }

  #readDocument(document: number, step: number): void {
    if (document < 0 || document >= MAX_DOCUMENTS || this.#isAlive(document) || LENGTH_STEPS[step] === undefined) {
      unusable();
    }
    this.#end = Math.max(this.#end, document + 1);
    this.#length = grow(this.#length, this.#end);
    this.#born = grow(this.#born, this.#end);
    this.#countLength(document, step);
  }

  #countLength(document: number, step: number): void {
    const length = LENGTH_STEPS[step] as number;
    this.#length[document] = step;
    this.#born[document] = ++this.#births;
    this.#totalLength += length;
    this.#totalSquares += length ** 2;
    this.#sharesNow = undefined;
    this.#size++;
  }

  #readLists(words: readonly string[], documents: Uint32Array, from: NumberReader): Map<string, number> {
    const lists = new Map<string, number>();
    for (const word of words) lists.set(word, this.#postings.read(documents, from));
    return lists.size === words.length ? lists : unusable();
  }

  #wordsOf(query: string): QueryWord[] {
    return this.#analyser.analyseQuery(query, this.#languages.held);
  }

  /** What of a query is looked for and there, with the postings that it has; what is worth most first. */
  #found(query: string, { related, holders }: WordKnowledge): Found[] {
    const found: Found[] = [];
    const take = (forms: readonly Word[], postings: readonly Uint32Array[], weight: number, atLeast: number) => {
      const held = postings.reduce((sum, { length }) => sum + length, 0);
      if (held === 0) return;
      const worth = weight * idf(this.#size, Math.min(Math.max(held, atLeast), this.#size));
      found.push({ forms, postings, worth });
    };
    for (const { forms, weight, isRelatable } of this.#wordsOf(query)) {
      take(forms, [this.#postingsOf(forms)], weight, Math.max(...forms.map(holders)));
      for (const group of isRelatable ? forms.flatMap(related) : []) {
        const lists = group.terms.map((term) => this.#termLists.get(term)).filter((list) => list !== undefined);
        const postings = lists.map((list) => this.#livingIn(list));
        take(forms, postings, weight * group.weight, 0);
      }
    }
    return found.sort((a, b) => b.worth - a.worth);
  }

  /** The postings of a word, each document once. */
  #postingsOf(forms: readonly Word[]): Uint32Array {
    const lists: number[] = [];
    for (const { term, isStopWord } of forms) {
      const list = (isStopWord ? this.#stopWordLists : this.#termLists).get(term);
      if (list !== undefined) lists.push(list);
    }
    for (const list of lists) this.#prune(list);
    return this.#postings.union(lists);
  }

  /** The postings of a list: none of them of a document that was removed. */
  #livingIn(list: number): Uint32Array {
    this.#prune(list);
    return this.#postings.of(list);
  }

  #prune(list: number): void {
    this.#postings.prune(list, (document) => this.#isAlive(document));
  }

  #give(postings: Uint32Array, worth: number, bit: number): void {
    this.#scores.add(postings, worth, bit, this.#length, this.#shares().shares);
  }

  /** Made when the lengths have changed since the last search. */
  #shares(): { readonly norm: LengthNorm; readonly shares: Float64Array } {
    if (this.#sharesNow === undefined) {
      const norm = lengthNorm({ documents: this.#size, total: this.#totalLength, squares: this.#totalSquares });
      this.#sharesNow = { norm, shares: termShares(norm) };
    }
    return this.#sharesNow;
  }

  #best({ limit = 10, filter, minScore = 0 }: LexicalSearchOptions): LexicalHit[] {
    if (!(limit > 0)) return [];
    const { documents, sums } = this.#scores;
    const best = new TopK(limit);
    let floor = minScore;
    for (let place = 0; place < documents.length; place++) {
      const document = documents[place] as number;
      const score = sums[document] as number;
      // Most are turned down here.
      if (score < floor) continue;
      const born = this.#born[document] as number;
      if (!best.accepts(score, born) || filter?.(document) === false) continue;
      best.offer(document, score, born);
      floor = Math.max(minScore, best.floor);
    }
    return best.ranked().map(({ id, score }) => ({ document: id, score }));
  }

  #isAlive(document: number): boolean {
    return (this.#born[document] ?? 0) > 0;
  }

  #takeNumber(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#end === MAX_DOCUMENTS) throw new RangeError(`A LexicalIndex holds at most ${MAX_DOCUMENTS} documents.`);
    const document = this.#end++;
    this.#length = grow(this.#length, this.#end);
    this.#born = grow(this.#born, this.#end);
    return document;
  }

  #listOf(word: string, lists: Map<string, number>): number {
    let list = lists.get(word);
    if (list === undefined) {
      list = this.#postings.open();
      lists.set(word, list);
    }
    return list;
  }

  /** Frees the numbers of the dead, once nothing speaks of them any more, and the terms that only they held. */
  #sweep(): void {
    const postings = new Postings();
    this.#termLists = this.#livingOf(this.#termLists, postings);
    this.#stopWordLists = this.#livingOf(this.#stopWordLists, postings);
    this.#postings = postings;
    this.#free = this.#free.concat(this.#dead);
    this.#dead = [];
  }

  /** Copies the lists, as far as living documents are in them, and returns where they are now. */
  #livingOf(lists: ReadonlyMap<string, number>, into: Postings): Map<string, number> {
    const copies = new Map<string, number>();
    for (const [word, list] of lists) {
      this.#postings.prune(list, (document) => this.#isAlive(document));
      const living = this.#postings.of(list);
      if (living.length === 0) continue;
      const copy = into.open();
      copies.set(word, copy);
      for (const posting of living) into.append(copy, posting);
    }
    return copies;
  }
}
