import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { Language, LatinLanguage } from '../languages/language.ts';
import { grow } from '../snapshot/grow.ts';
import { NumberReader, NumberWriter } from '../snapshot/numbers.ts';
import { RowReader, RowWriter } from '../snapshot/rows.ts';
import {
  decodeTexts,
  encodeList,
  ifUsable,
  joined,
  readSnapshot,
  snapshotPieces,
  unusable,
} from '../snapshot/snapshot.ts';
import { endsStep, finish, type Steps } from '../snapshot/steps.ts';
import { type Analyser, analyserOf } from '../text/analyser.ts';
import { analysisOf } from '../text/analysis-version.ts';
import { DocumentLanguages } from '../text/document-languages.ts';
import type { Word } from '../text/lexicon.ts';
import { idf, type LengthNorm, type LengthStats, lengthNorm, termShares } from './bm25.ts';
import { MAX_DOCUMENTS, Postings } from './postings.ts';
import type { QueryWord } from './read-query.ts';
import { Scores } from './scores.ts';
import { LENGTH_STEPS, lengthStep } from './tf-quantizer.ts';
import { TopK } from './top-k.ts';

/** Removed documents are swept out once there are this many, and half as many as live ones. */
const MIN_DEAD = 1024;

export interface LexicalIndexOptions {
  /** The language of the documents and queries. @default Detected per text. */
  readonly language?: Language | undefined;
}

export interface LexicalSearchOptions {
  /** The maximum number of hits. @default 10 */
  readonly limit?: number | undefined;
  /**
   * Ranks only documents for which it returns true, so that `limit` hits are found if that many pass. Called at most once
   * per document, not for all documents. Must not search or change this index.
   */
  readonly filter?: ((document: number, score: number) => boolean) | undefined;
  /** Leaves out hits with a lower score. Scores are unbounded and comparable only within one search. @default None. */
  readonly minScore?: number | undefined;
}

const OPTIONS: FieldNames<LexicalIndexOptions> = { language: true };
const SEARCH_OPTIONS: FieldNames<LexicalSearchOptions> = { limit: true, filter: true, minScore: true };

export interface LexicalHit {
  readonly document: number;
  /** BM25: above 0, unbounded. */
  readonly score: number;
}

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
  /** By document: its age; a higher number is newer. */
  readonly created: Float64Array;
  /** How much document lengths vary, from 0 to 1: see `lengthNorm`. */
  readonly variety: number;
}

/** A word of the query as it was looked up. */
export interface FoundWord {
  /** Its forms in the searched languages, the query's language first. */
  readonly forms: readonly Word[];
  /** Its idf, times its weight in the query. */
  readonly worth: number;
}

interface Found extends FoundWord {
  readonly postings: readonly Uint32Array[];
}

/** Terms that count as one. */
export interface TermGroup {
  readonly terms: readonly string[];
  /** Their weight, above 0. */
  readonly weight: number;
}

/** What to look up of a word: its forms, or the terms of a group related to it. */
export interface WordTerms {
  readonly forms: readonly Word[];
  readonly group?: TermGroup | undefined;
}

export interface WorthTerms extends WordTerms {
  readonly worth: number;
}

/** How much of its worth a term gives to a document, and the length statistics that it follows from. */
interface Shares {
  readonly norm: LengthNorm;
  readonly shares: Float64Array;
}

/** What a ranking knows about words. */
export interface WordKnowledge {
  /** The terms related to a word. */
  related(word: Word): readonly TermGroup[];
  /** The minimum number of documents to assume for a word. A speaker's name counts for everything they said. */
  holders(word: Word): number;
}

/** How many postings are read or written in one step, unless one list has more. */
const MAX_POSTINGS = 65_536;

/** The number of query words whose documents are tracked. */
const MAX_HELD = 31;

/**
 * An incremental full-text index that ranks by BM25, with weights that follow the variety of lengths. It stores no texts:
 * documents are numbers that `add` returns, small ones from 0 up, which are reused some time after a removal, so that
 * callers can use arrays.
 *
 * Removed documents leave no trace: scores are bit-identical to those of a new index of the remaining documents in the same
 * order.
 */
export class LexicalIndex {
  readonly #language: Language | undefined;
  readonly #analyser: Analyser;
  /** The posting list of each term. */
  #termLists = new Map<string, number>();
  /** Separate from the terms, because "will" is also the stem of "wills". */
  #stopWordLists = new Map<string, number>();
  #postings = new Postings();
  /** The length step of each document, without stop words: see `tf-quantizer.ts`. */
  #length = new Uint8Array(16);
  #languages = new DocumentLanguages();
  /** The creation number of each document, from 1; 0 for none. */
  #created = new Float64Array(16);
  #births = 0;
  #size = 0;
  /** The sum of all lengths, and of their squares. */
  #totalLength = 0;
  #totalSquares = 0;
  /** Above the highest document number so far. */
  #end = 0;
  #dead: number[] = [];
  #free: number[] = [];
  /** Scratch memory of searches. */
  #scores = new Scores();
  #sharesNow: Shares | undefined;

  constructor(options: LexicalIndexOptions = {}) {
    expectKnownFields(options, OPTIONS);
    this.#language = options.language;
    this.#analyser = analyserOf(this.#language);
  }

  /**
   * Loads an index from a snapshot, with the same numbers and scores. Returns `undefined` for incomplete bytes, another
   * language, or another version: then rebuild the index. A corrupted byte may go unnoticed; at worst, it changes the
   * results.
   */
  static restore(bytes: Uint8Array, options: LexicalIndexOptions = {}): LexicalIndex | undefined {
    return finish(LexicalIndex.restoring(bytes, options));
  }

  /** The same as {@link restore}, in steps. */
  static *restoring(bytes: Uint8Array, options: LexicalIndexOptions = {}): Steps<LexicalIndex | undefined> {
    return yield* ifUsable(new LexicalIndex(options).#read(bytes));
  }

  /**
   * The whole index as bytes, for machines of the same byte order. Contains the words of the documents, but not their order,
   * and nothing of removed documents.
   */
  snapshot(): Uint8Array {
    return joined(finish(this.snapshotting()));
  }

  /** The same as {@link snapshot}, in steps and pieces. The index must not change in between. */
  *snapshotting(): Steps<readonly Uint8Array[]> {
    // Now everything is alive, and no list is empty.
    if (this.#dead.length > 0) this.#sweep();
    const rows = new RowWriter();
    const rankOf = new Uint32Array(this.#end);
    for (const [rank, document] of this.#documents().entries()) {
      if (endsStep(rank)) yield;
      rows.write([document, this.#length[document] as number, this.#languages.write(document)]);
      rankOf[document] = rank;
    }
    const postings = new NumberWriter();
    const lists = [...this.#termLists.values(), ...this.#stopWordLists.values()];
    postings.write(this.#postings.roomOf(lists));
    let written = 0;
    for (const [row, list] of lists.entries()) {
      this.#postings.write(list, rankOf, postings);
      written += this.#postings.of(list).length;
      if (written < MAX_POSTINGS && !endsStep(row)) continue;
      written = 0;
      yield;
    }
    return snapshotPieces(this.#kind, {
      documents: rows.bytes,
      terms: encodeList([...this.#termLists.keys()]),
      stopWords: encodeList([...this.#stopWordLists.keys()]),
      postings: postings.bytes,
    });
  }

  /** The number of documents. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds a text as the newest and returns its document number. A text without words counts in `size` and is never found.
   * Throws a RangeError at 16,777,216 documents, including up to a third removed ones.
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

  /** Replaces a document. The text becomes the newest and gets the returned number. */
  replace(document: number, text: string): number {
    this.remove(document);
    return this.add(text);
  }

  /** Whether there is a document with this number. */
  has(document: number): boolean {
    return this.#isAlive(document);
  }

  /** Removes a document. Returns false if there is none with this number. */
  remove(document: number): boolean {
    if (!this.#isAlive(document)) return false;
    this.#created[document] = 0;
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
    this.#created = new Float64Array(16);
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
   * Finds the documents with a word of the query, best first, newest first on ties. The query is literal text. Its stop
   * words count only if it has no other words. Without words, returns `[]`.
   */
  search(query: string, options: LexicalSearchOptions = {}): LexicalHit[] {
    expectKnownFields(options, SEARCH_OPTIONS);
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
   * Calls `use` with the documents that have a word of the query, to rank them. The matches are valid until it returns. It
   * must not search or change this index.
   */
  matching<T>(query: string, knowledge: WordKnowledge, use: (matches: Matches) => T): T {
    return this.#matching(this.#found(query, knowledge), this.#shares(), use);
  }

  /** The same for words whose worths are known, and with the length statistics of a larger corpus. */
  matchingWorths<T>(worths: readonly WorthTerms[], norm: LengthNorm, use: (matches: Matches) => T): T {
    const found = worths.map((worth) => ({ ...worth, postings: this.#postingsOfTerms(worth) }));
    return this.#matching(found, { norm, shares: termShares(norm) }, use);
  }

  /** How many documents have any of the forms of a word, or, for a group, the total of the counts of its terms. */
  countOf(terms: WordTerms): number {
    return this.#postingsOfTerms(terms).reduce((sum, { length }) => sum + length, 0);
  }

  /** The lengths of all documents. */
  get lengths(): LengthStats {
    return { documents: this.#size, total: this.#totalLength, squares: this.#totalSquares };
  }

  /** How many documents are in each language. */
  get languages(): ReadonlyMap<LatinLanguage, number> {
    return this.#languages.counts;
  }

  #matching<T>(found: readonly Found[], { norm, shares }: Shares, use: (matches: Matches) => T): T {
    const scores = this.#scores;
    scores.reserve(this.#end);
    try {
      for (const [n, { postings, worth }] of found.entries()) {
        const bit = n < MAX_HELD ? 2 ** n : 0;
        for (const list of postings) scores.add(list, worth, bit, this.#length, shares);
      }
      return use({
        words: found.map(({ forms, worth }) => ({ forms, worth })),
        documents: scores.documents,
        scores: scores.sums,
        held: scores.held,
        created: this.#created,
        variety: norm.variety,
      });
    } finally {
      scores.clear();
    }
  }

  get #kind(): string {
    return `words ${analysisOf(this.#language)}`;
  }

  /** The documents in order of creation. */
  #documents(): number[] {
    const documents: number[] = [];
    for (let document = 0; document < this.#end; document++) if (this.#isAlive(document)) documents.push(document);
    return documents.sort((a, b) => (this.#created[a] as number) - (this.#created[b] as number));
  }

  *#read(bytes: Uint8Array): Steps<this> {
    const section = readSnapshot(this.#kind, bytes);
    const rows = new RowReader(section('documents'), 3);
    const documents: number[] = [];
    while (!rows.atEnd) {
      const row = rows.read();
      const document = row[0] as number;
      this.#readDocument(document, row[1] as number);
      if (!this.#languages.read(document, row[2] as number)) unusable();
      documents.push(document);
      if (endsStep(documents.length)) yield;
    }
    for (let document = this.#end; document-- > 0; ) if (!this.#isAlive(document)) this.#free.push(document);
    const postings = new NumberReader(section('postings'));
    this.#postings.reserve(Math.min(postings.read(), 2 * section('postings').length));
    const byRank = Uint32Array.from(documents);
    this.#termLists = yield* this.#readLists(yield* decodeTexts(section('terms')), byRank, postings);
    this.#stopWordLists = yield* this.#readLists(yield* decodeTexts(section('stopWords')), byRank, postings);
    if (!postings.atEnd) unusable();
    return this;
  }

  #readDocument(document: number, step: number): void {
    if (document < 0 || document >= MAX_DOCUMENTS || this.#isAlive(document) || LENGTH_STEPS[step] === undefined) {
      unusable();
    }
    this.#end = Math.max(this.#end, document + 1);
    this.#length = grow(this.#length, this.#end);
    this.#created = grow(this.#created, this.#end);
    this.#countLength(document, step);
  }

  #countLength(document: number, step: number): void {
    const length = LENGTH_STEPS[step] as number;
    this.#length[document] = step;
    this.#created[document] = ++this.#births;
    this.#totalLength += length;
    this.#totalSquares += length ** 2;
    this.#sharesNow = undefined;
    this.#size++;
  }

  *#readLists(words: readonly string[], documents: Uint32Array, from: NumberReader): Steps<Map<string, number>> {
    const lists = new Map<string, number>();
    let read = 0;
    for (const word of words) {
      const list = this.#postings.read(documents, from);
      lists.set(word, list);
      read += this.#postings.of(list).length;
      if (read < MAX_POSTINGS && !endsStep(lists.size)) continue;
      read = 0;
      yield;
    }
    return lists.size === words.length ? lists : unusable();
  }

  #wordsOf(query: string): QueryWord[] {
    return this.#analyser.analyseQuery(query, this.#languages.held);
  }

  /** The words of a query that documents have, with their postings, highest worth first. */
  #found(query: string, { related, holders }: WordKnowledge): Found[] {
    const found: Found[] = [];
    const take = (forms: readonly Word[], postings: readonly Uint32Array[], weight: number, atLeast: number) => {
      const held = postings.reduce((sum, { length }) => sum + length, 0);
      if (held === 0) return;
      const worth = weight * idf(this.#size, Math.min(Math.max(held, atLeast), this.#size));
      found.push({ forms, postings, worth });
    };
    for (const { forms, weight, isRelatable } of this.#wordsOf(query)) {
      take(forms, this.#postingsOfTerms({ forms }), weight, Math.max(...forms.map(holders)));
      for (const group of isRelatable ? forms.flatMap(related) : []) {
        take(forms, this.#postingsOfTerms({ forms, group }), weight * group.weight, 0);
      }
    }
    return found.sort((a, b) => b.worth - a.worth);
  }

  #postingsOfTerms({ forms, group }: WordTerms): Uint32Array[] {
    if (group === undefined) return [this.#postingsOf(forms)];
    const lists = group.terms.map((term) => this.#termLists.get(term)).filter((list) => list !== undefined);
    return lists.map((list) => this.#livingIn(list));
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

  /** The postings of a list, without removed documents. */
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

  /** Recomputed when lengths have changed since the last search. */
  #shares(): Shares {
    if (this.#sharesNow === undefined) {
      const norm = lengthNorm(this.lengths);
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
      // Rejects most of them.
      if (score < floor) continue;
      const created = this.#created[document] as number;
      if (!best.accepts(score, created) || filter?.(document, score) === false) continue;
      best.offer(document, score, created);
      floor = Math.max(minScore, best.floor);
    }
    return best.ranked().map(({ id, score }) => ({ document: id, score }));
  }

  #isAlive(document: number): boolean {
    return (this.#created[document] ?? 0) > 0;
  }

  #takeNumber(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#end === MAX_DOCUMENTS) throw new RangeError(`A LexicalIndex holds at most ${MAX_DOCUMENTS} documents.`);
    const document = this.#end++;
    this.#length = grow(this.#length, this.#end);
    this.#created = grow(this.#created, this.#end);
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

  /** Frees the numbers of removed documents that nothing refers to, and the terms that only they had. */
  #sweep(): void {
    const postings = new Postings();
    this.#termLists = this.#livingOf(this.#termLists, postings);
    this.#stopWordLists = this.#livingOf(this.#stopWordLists, postings);
    this.#postings = postings;
    this.#free = this.#free.concat(this.#dead);
    this.#dead = [];
  }

  /** Copies the lists with live documents, and returns their new numbers. */
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
