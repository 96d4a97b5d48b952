import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { finish, type Steps } from '@keepsake/internal';
import type { DetectedLanguage, Language } from '../languages/language.ts';
import { WEIGHTS } from '../ranking/ranking-weights.ts';
import { endsStep } from '../snapshot/ends-step.ts';
import { grow } from '../snapshot/grow.ts';
import { orderBy } from '../snapshot/order-by.ts';
import {
  ifUsable,
  joined,
  type Pieces,
  readSnapshot,
  type Sections,
  section,
  unusable,
  writeSnapshot,
} from '../snapshot/snapshot.ts';
import { bytesOf, inMemory, readNumbers, type StoredBytes, StoredNumbers } from '../snapshot/stored-bytes.ts';
import { type Analyser, analyserOf } from '../text/analyser.ts';
import { analysisOf } from '../text/analysis-version.ts';
import { DocumentLanguages } from '../text/document-languages.ts';
import type { Word } from '../text/lexicon.ts';
import { essayShare, idf, isEssay, type LengthStats, TERM_SHARES } from './bm25.ts';
import { type HeldWord, type InsideWord, insideWords, mayMatchInside, similarTerms } from './inside-words.ts';
import { type MatchedIndexes, Matching, type SearchedWord, type Source, type Term } from './matching.ts';
import { MAX_DOCUMENTS, Postings } from './postings.ts';
import type { QueryWord } from './read-query.ts';
import { type Scores, ScoresPool } from './scores.ts';
import { type ListToPack, NO_RANK, packLists, StoredLists } from './stored-lists.ts';
import type { SimilarTerm } from './term-grams.ts';
import { LENGTH_STEPS, lengthStep } from './tf-quantizer.ts';
import { TopK } from './top-k.ts';
import { WordLists } from './word-lists.ts';

/** Removed documents are swept out once there are this many, and half as many as live ones. */
const MIN_DEAD = 1024;
/** After how many words of a new document another step of a sweep follows. */
const WORDS_A_STEP = 64;

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

/** What a ranking knows about words. */
export interface WordKnowledge {
  /** The terms related to a word. */
  related(word: Word): readonly TermGroup[];
  /** The minimum number of documents to assume for a word. A speaker's name counts for everything they said. */
  holders(word: Word): number;
}

/** The sections of lists are read when a word is looked up. */
const LATER: ReadonlySet<string> = new Set(['terms', 'stop words']);

const NO_KNOWLEDGE: WordKnowledge = { related: () => [], holders: () => 0 };

const NO_POSTINGS = new Uint32Array(0);

/**
 * An incremental full-text index that ranks by BM25. It stores no texts:
 * documents are numbers that `add` returns, small ones from 0 up, which are reused some time after a removal, so that
 * callers can use arrays.
 *
 * Removed documents leave no trace: scores are bit-identical to those of a new index of the remaining documents in the same
 * order.
 */
export class LexicalIndex {
  readonly #language: Language | undefined;
  readonly #analyser: Analyser;
  #postings = new Postings();
  /** The posting list of each term. */
  #termLists = new WordLists(this.#postings);
  /** Separate from the terms, because "will" is also the stem of "wills". */
  #stopWordLists = new WordLists(this.#postings);
  /** The length step of each document, without stop words: see `tf-quantizer.ts`. */
  #length = new Uint8Array(16);
  #languages = new DocumentLanguages();
  /** The creation number of each document, from 1; 0 for none, and below 0 if it was removed. */
  #created = new Float64Array(16);
  #births = 0;
  #size = 0;
  /** The number of documents that are essays. */
  #essays = 0;
  /** Above the highest document number so far. */
  #end = 0;
  /** Removed documents that a later sweep frees the numbers of. */
  #dead: number[] = [];
  #free: number[] = [];
  #sweep: Steps<void> | undefined;
  #numbering: object = {};
  /** Scratch memory of searches. */
  #pool = new ScoresPool();
  readonly #matched: MatchedIndexes = {
    current: () => ({ end: this.#end, births: this.#births, created: this.#created, lengths: this.#length }),
    postings: (terms, after, upTo) => this.#postingsBetween(this.#listsOf(terms), after, upTo),
  };

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
    const index = new LexicalIndex(options);
    return finish(ifUsable(index.#restoring(inMemory(bytes))));
  }

  /**
   * The same in steps. Reads the lists of words when they are needed, so that the bytes must stay as they are; then a call may
   * throw an error that {@link isUnusable}.
   */
  static *opening(stored: StoredBytes, options: LexicalIndexOptions = {}): Steps<LexicalIndex | undefined> {
    return yield* ifUsable(new LexicalIndex(options).#open(stored));
  }

  /** Reads all that was left for later. Refuses what does not fit together. */
  *loading(): Steps<void> {
    yield* this.#termLists.loading();
    yield* this.#stopWordLists.loading();
  }

  /**
   * The whole index as bytes, for machines of the same byte order. Contains the words of the documents, but not their order,
   * and nothing of removed documents.
   */
  snapshot(): Uint8Array {
    return joined(this.snapshotting());
  }

  /** The same as {@link snapshot}, in steps and pieces. The index must not change in between. */
  snapshotting(): Pieces {
    return writeSnapshot(this.#kind, this.#sections());
  }

  *#sections(): Sections {
    const documents = yield* this.#byCreation();
    const lengths = new Uint8Array(documents.length);
    const languages = new Uint8Array(documents.length);
    const rankOf = new Uint32Array(this.#end).fill(NO_RANK);
    for (const [rank, document] of documents.entries()) {
      lengths[rank] = this.#length[document] as number;
      languages[rank] = this.#languages.write(document);
      rankOf[document] = rank;
      if (endsStep(rank)) yield;
    }
    yield* section('end', bytesOf(Uint32Array.of(endOf(documents))));
    yield* section('documents', bytesOf(documents));
    yield* section('lengths', lengths);
    yield* section('languages', languages);
    yield* packLists('terms', listsIn(this.#termLists), rankOf);
    yield* packLists('stop words', listsIn(this.#stopWordLists), rankOf);
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
    for (const term of terms) this.#postings.count(this.#termLists.toAddTo(term), document);
    for (const word of stopWords) this.#postings.count(this.#stopWordLists.toAddTo(word), document);
    this.#languages.add(document, language);
    this.#countLength(document, lengthStep(terms.length));
    this.#sweepOn(terms.length + stopWords.length);
    return document;
  }

  /** Replaces a document. The text becomes the newest and gets the returned number. */
  replace(document: number, text: string): number {
    this.remove(document);
    return this.add(text);
  }

  /** Above all document numbers. */
  get end(): number {
    return this.#end;
  }

  /** Whether there is a document with this number. */
  has(document: number): boolean {
    return this.#isAlive(document);
  }

  /** Removes a document. Returns false if there is none with this number. */
  remove(document: number): boolean {
    if (!this.#isAlive(document)) return false;
    this.#created[document] = -(this.#created[document] as number);
    this.#languages.remove(document);
    if (isEssay(LENGTH_STEPS[this.#length[document] as number] as number)) this.#essays--;
    this.#size--;
    this.#dead.push(document);
    this.#postings.outdate();
    this.#sweepOn();
    return true;
  }

  /** Removes all documents. */
  clear(): void {
    this.#postings = new Postings();
    this.#termLists = new WordLists(this.#postings);
    this.#stopWordLists = new WordLists(this.#postings);
    this.#length = new Uint8Array(16);
    this.#languages = new DocumentLanguages();
    this.#created = new Float64Array(16);
    this.#numbering = {};
    this.#pool = new ScoresPool();
    this.#size = 0;
    this.#essays = 0;
    this.#end = 0;
    this.#dead = [];
    this.#free = [];
    this.#sweep = undefined;
  }

  /**
   * Finds the documents with a word of the query, best first, newest first on ties. The query is literal text. Its stop
   * words count only if it has no other words. Without words, returns `[]`.
   */
  search(query: string, options: LexicalSearchOptions = {}): LexicalHit[] {
    expectKnownFields(options, SEARCH_OPTIONS);
    const scores = this.#pool.take();
    try {
      scores.reserve(this.#end);
      for (const { sources, worth } of finish(this.#finding(query, NO_KNOWLEDGE))) {
        for (const { terms, merged } of sources) {
          scores.add(merged ?? this.#postingsOf(this.#listsOf(terms)), worth, 0, this.#length, TERM_SHARES);
        }
      }
      return this.#best(scores, options);
    } finally {
      this.#pool.giveBack(scores);
    }
  }

  /** Changes when the number of a removed document may belong to another one. */
  get numbering(): object {
    return this.#numbering;
  }

  /** Whether as many searches run in steps as there is memory for. */
  get isBusy(): boolean {
    return this.#pool.isUsedUp;
  }

  /** Scores the documents that have a word of the query, to rank them. Must be ended. */
  matching(query: string, knowledge: WordKnowledge): Matching {
    return this.#matching(this.#finding(query, knowledge));
  }

  /** The same for words whose worths are known. */
  matchingWorths(worths: readonly WorthTerms[]): Matching {
    return this.#matching(this.#looking(worths));
  }

  /** How many documents have any of the forms of each word, or, for a group, the total of the counts of its terms. */
  counts(words: readonly WordTerms[]): number[] {
    this.#want(words);
    return words.map((word) =>
      sourceTerms(word).reduce((sum, source) => sum + this.#postingsOf(this.#listsOf(source)).length, 0),
    );
  }

  /** The lengths of all documents. */
  get lengths(): LengthStats {
    return { documents: this.#size, essays: this.#essays };
  }

  /** How many documents are in each language. */
  get languages(): ReadonlyMap<DetectedLanguage, number> {
    return this.#languages.counts;
  }

  #matching(find: Steps<readonly SearchedWord[]>): Matching {
    const essays = essayShare(this.lengths);
    return new Matching(this.#matched, find, { numbering: this.#numbering, essays, pool: this.#pool });
  }

  get #kind(): string {
    return `words ${analysisOf(this.#language)}`;
  }

  /** The documents in order of creation. */
  *#byCreation(): Steps<Uint32Array> {
    const alive = new Uint32Array(this.#size);
    const created = new Float64Array(this.#size);
    let count = 0;
    for (let document = 0; document < this.#end; document++) {
      if (this.#isAlive(document)) {
        alive[count] = document;
        created[count++] = this.#created[document] as number;
      }
      if (endsStep(document)) yield;
    }
    const order = yield* orderBy(created);
    for (let rank = 0; rank < count; rank++) {
      order[rank] = alive[order[rank] as number] as number;
      if (endsStep(rank)) yield;
    }
    return order;
  }

  *#restoring(stored: StoredBytes): Steps<this> {
    yield* this.#open(stored);
    yield* this.loading();
    return this;
  }

  *#open(stored: StoredBytes): Steps<this> {
    const section = readSnapshot(this.#kind, stored, (name) => LATER.has(name));
    const count = section('lengths').length;
    const isWhole =
      section('languages').length === count &&
      section('documents').length === count * Uint32Array.BYTES_PER_ELEMENT &&
      section('end').length === Uint32Array.BYTES_PER_ELEMENT;
    if (!isWhole || count > MAX_DOCUMENTS) unusable();
    const [end = 0] = new StoredNumbers(section('end'), new Uint32Array(1)).at(0);
    const documents = yield* readNumbers(section('documents'), new Uint32Array(count));
    // Before a wrong number reserves much memory.
    if (end > MAX_DOCUMENTS || endOf(documents) !== end) unusable();
    this.#end = end;
    this.#length = new Uint8Array(end);
    this.#created = new Float64Array(end);
    const lengths = yield* readNumbers(section('lengths'), new Uint8Array(count));
    const languages = yield* readNumbers(section('languages'), new Uint8Array(count));
    this.#languages.reserve(end);
    // Not over `entries()`, which makes an array for each of a million documents.
    for (let rank = 0; rank < count; rank++) {
      const document = documents[rank] as number;
      this.#openDocument(document, lengths[rank] as number);
      if (!this.#languages.read(document, languages[rank] as number)) unusable();
      if (endsStep(rank)) yield;
    }
    for (let document = this.#end; document-- > 0; ) if (!this.#isAlive(document)) this.#free.push(document);
    this.#termLists = new WordLists(this.#postings, new StoredLists(section, 'terms', documents));
    this.#stopWordLists = new WordLists(this.#postings, new StoredLists(section, 'stop words', documents));
    return this;
  }

  #openDocument(document: number, step: number): void {
    if (this.#isAlive(document) || LENGTH_STEPS[step] === undefined) unusable();
    this.#countLength(document, step);
  }

  #countLength(document: number, step: number): void {
    this.#length[document] = step;
    this.#created[document] = ++this.#births;
    if (isEssay(LENGTH_STEPS[step] as number)) this.#essays++;
    this.#size++;
  }

  #wordsOf(query: string): QueryWord[] {
    return this.#analyser.analyseQuery(query, this.#languages.held);
  }

  /** The words of a query that documents have, highest worth first. */
  *#finding(query: string, { related, holders }: WordKnowledge): Steps<SearchedWord[]> {
    const foundWords: SearchedWord[] = [];
    const [size, upTo] = [this.#size, this.#births];
    const foundInside: SearchedWord[] = [];
    const words = this.#wordsOf(query).map((word) => ({
      word,
      groups: [undefined, ...(word.isRelatable ? word.forms.flatMap(related) : [])],
    }));
    this.#want(words.flatMap(({ word: { forms }, groups }) => groups.map((group) => ({ forms, group }))));
    for (const { word, groups } of words) {
      const { forms, weight } = word;
      for (const group of groups) {
        const { sources, held } = this.#sourcesOf({ forms, group }, upTo);
        yield;
        const atLeast = group === undefined ? Math.max(held, ...forms.map(holders)) : held;
        const heldWord = { ...word, held: atLeast };
        if (group === undefined && mayMatchInside(heldWord)) {
          for (const one of yield* this.#inside(heldWord, upTo)) {
            if (one.held > 0) foundInside.push({ ...one, worth: worthOf(one, size) });
          }
        }
        if (held === 0) continue;
        const worth = weight * (group?.weight ?? 1) * idf(size, Math.min(atLeast, size));
        foundWords.push({ forms, sources, worth });
      }
    }
    return [...foundWords, ...foundInside].sort((a, b) => b.worth - a.worth);
  }

  /** What matches inside a word of a query. */
  *#inside(word: QueryWord & HeldWord, upTo: number): Steps<(InsideWord & FoundInside)[]> {
    yield* this.readingInside();
    const similar = this.similarTerms(word, upTo);
    yield;
    const words = insideWords(word, similar);
    this.#want(words);
    return words.map((one) => ({ ...one, ...this.#sourcesOf(one, upTo) }));
  }

  /** Prepares {@link similarTerms}. */
  *readingInside(): Steps<void> {
    while (this.#termLists.grams === undefined) {
      this.#termLists.readGrams();
      yield;
    }
  }

  /** The terms of documents that have parts in common with a word, the most similar first; after {@link readingInside}. */
  similarTerms(word: HeldWord, upTo = Infinity): SimilarTerm[] {
    return similarTerms(word, (term, least) => {
      const similar: SimilarTerm[] = [];
      const candidates = this.#termLists.grams?.similarTo(term, least) ?? [];
      for (const one of candidates.slice(0, WEIGHTS.inside.terms)) this.#termLists.want(one.term);
      for (const one of candidates) {
        if (similar.length === WEIGHTS.inside.terms) break;
        const list = this.#termLists.find(one.term);
        if (list !== undefined && this.#postingsOf([list], upTo).length > 0) similar.push(one);
      }
      return similar;
    });
  }

  *#looking(worths: readonly WorthTerms[]): Steps<SearchedWord[]> {
    const foundWords: SearchedWord[] = [];
    const upTo = this.#births;
    this.#want(worths);
    for (const { forms, group, worth } of worths) {
      foundWords.push({ forms, worth, sources: this.#sourcesOf({ forms, group }, upTo).sources });
      yield;
    }
    return foundWords;
  }

  /** What to score for a word, with the total of the counts of documents. */
  #sourcesOf(word: WordTerms, upTo: number): { readonly sources: readonly Source[]; readonly held: number } {
    let held = 0;
    const sources = sourceTerms(word).map((terms) => {
      const lists = this.#listsOf(terms);
      // Most terms of a group have none.
      if (lists.length === 0) return { terms, merged: undefined };
      const postings = this.#postingsOf(lists, upTo);
      held += postings.length;
      return { terms, merged: lists.length > 1 ? postings : undefined };
    });
    return { sources, held };
  }

  /** The postings of lists, each document once, without removed documents. */
  #postingsOf(lists: readonly number[], upTo = Infinity): Uint32Array {
    for (const list of lists) this.#postings.prune(list, (document) => this.#isAlive(document));
    return this.#postingsBetween(lists, 0, upTo);
  }

  #postingsBetween(lists: readonly number[], after: number, upTo: number): Uint32Array {
    if (lists.length === 0) return NO_POSTINGS;
    const postings = lists.map((list) => this.#postings.between(list, after, upTo, this.#created));
    return postings.length === 1 ? (postings[0] as Uint32Array) : this.#postings.union(postings);
  }

  #listsOf(terms: readonly Term[]): number[] {
    return terms.flatMap((term) => this.#listsWith(term).find(term.term) ?? []);
  }

  #listsWith({ isStopWord }: Term): WordLists {
    return isStopWord ? this.#stopWordLists : this.#termLists;
  }

  /** Asks for the lists of all words at once: those of one may have to be loaded, which takes as long as those of all. */
  #want(words: readonly WordTerms[]): void {
    for (const word of words) {
      for (const terms of sourceTerms(word)) for (const term of terms) this.#listsWith(term).want(term.term);
    }
  }

  #best({ documents, sums }: Scores, { limit = 10, filter, minScore = 0 }: LexicalSearchOptions): LexicalHit[] {
    if (!(limit > 0)) return [];
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
    while (this.#end === MAX_DOCUMENTS && this.#free.length === 0 && this.#sweep !== undefined) this.#sweepNext();
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#end === MAX_DOCUMENTS) throw new RangeError(`A LexicalIndex holds at most ${MAX_DOCUMENTS} documents.`);
    const document = this.#end++;
    this.#length = grow(this.#length, this.#end);
    this.#created = grow(this.#created, this.#end);
    return document;
  }

  /** Does some of a sweep, if there is one to do: the more, the more words were added. */
  #sweepOn(words = 0): void {
    if (this.#sweep === undefined) {
      if (this.#dead.length < MIN_DEAD || this.#dead.length < this.#size / 2) return;
      // It reads all lists, while words are added.
      if (!this.#termLists.keep() || !this.#stopWordLists.keep()) return;
      this.#sweep = this.#sweeping(this.#dead);
      this.#dead = [];
    }
    for (let done = 0; done <= words && this.#sweep !== undefined; done += WORDS_A_STEP) this.#sweepNext();
  }

  #sweepNext(): void {
    if (this.#sweep?.next().done) this.#sweep = undefined;
  }

  /** Frees the numbers of removed documents that nothing refers to any more, and the terms that only they had. */
  *#sweeping(dead: readonly number[]): Steps<void> {
    const isAlive = (document: number) => this.#isAlive(document);
    yield* this.#termLists.sweeping(isAlive);
    yield* this.#stopWordLists.sweeping(isAlive);
    this.#numbering = {};
    this.#free = this.#free.concat(dead);
  }
}

interface FoundInside {
  readonly sources: readonly Source[];
  readonly held: number;
}

function worthOf({ weight, atLeast, held }: InsideWord & FoundInside, size: number): number {
  return weight * idf(size, Math.min(Math.max(held, atLeast), size));
}

/** The terms of a word, which count as one, or each term of a group. */
function sourceTerms({ forms, group }: WordTerms): readonly (readonly Term[])[] {
  return group === undefined ? [forms] : group.terms.map((term) => [{ term, isStopWord: false }]);
}

/** Above all documents. */
function endOf(documents: Uint32Array): number {
  let end = 0;
  for (let rank = 0; rank < documents.length; rank++) end = Math.max(end, (documents[rank] as number) + 1);
  return end;
}

function* listsIn(lists: WordLists): Iterable<ListToPack> {
  for (const word of lists.words()) yield { word, postings: lists.peek(word) };
}
