import type { Matches } from '../lexical/matching.ts';
import type { NearestVectors } from '../vectors/nearest.ts';
import type { VectorHit } from '../vectors/slots.ts';
import type { BestPassing } from './best-passing.ts';
import type { Clock } from './clock.ts';

/** The documents of a table, as a filter sees them. */
export interface Filtered {
  /** What the numbers of documents and puts belong to. */
  readonly table: object;
  /** The number of the document's last put; 0 without a document. */
  putOf(document: number): number;
  /** Whether the document can pass, as far as that is known without reading the record. */
  mayPass(document: number): boolean;
  /** Whether the record passes; `undefined` if it must be read first. */
  passes(document: number): boolean | undefined;
  /** How many changes there have been. */
  readonly changes: number;
  /** All documents that can pass, if they are few. */
  few(matches: Matches): readonly number[] | undefined;
}

/** Whether a document passes the filter. A search prefers documents with a higher score. */
export type Passes = (document: number, score: number) => boolean;

/** What finds the documents that pass and rank best. */
interface Finding {
  readonly clock: Clock;
  readonly best: BestPassing;
  readonly nearest: NearestVectors<number> | undefined;
}

/** How many documents are checked before the next ranking. Grows, so that a search ranks few times. */
const FIRST_BATCH = 1024;
const GROWTH = 4;
/** This many times a batch are wanted at most, unless they have the same score. */
const ROOM = 4;
/** How many scores are compared to find the best documents. */
const SAMPLE = 1024;
/**
 * The filter of a search that runs in steps. After the best by words and by meaning that pass are found, a step ranks with what
 * is known of the filter. If the ranking asks about more documents than the step has time for, such as turns beside others, the
 * next steps check the best of them, and then it is repeated.
 *
 * Between two steps the table can change, or be another one: what was found out about a document holds until it is put again.
 */
export class FilterSteps {
  #table: object | undefined;
  /** By document: twice the number of the put that was checked, plus 1 if it passes. Much smaller than an array for all. */
  #answers = new Map<number, number>();
  /** The documents to check before the next ranking. */
  #queue: number[] = [];
  #batch = FIRST_BATCH;
  /** All documents that can pass, if they are few, after a number of changes. */
  #few: readonly number[] | undefined;
  #fewAfter: number | undefined;
  /** The best of what the last ranking asked for in vain, and their scores. */
  #wanted: number[] = [];
  #scores: number[] = [];
  /** Documents with lower scores are not wanted. */
  #floor = -Infinity;
  /** How many are wanted before the best of them are picked. */
  #room = 0;

  /**
   * Runs the next step. Returns the result of `rank`, or `undefined` if there must be another step. `among` are documents to
   * find the best by words among, and `near` are the nearest by meaning. If few can pass, `among` are all of these, and `near`
   * is missing.
   */
  next<T>(
    documents: Filtered,
    matches: Matches,
    { best, nearest, clock }: Finding,
    rank: (passes: Passes, among: readonly number[], near: readonly VectorHit<number>[] | undefined) => T,
  ): T | undefined {
    this.#open(documents);
    if (!this.#checkQueue(documents, clock)) return undefined;
    const passes = (document: number) => this.#isKnownToPass(documents, document) ?? this.#check(documents, document);
    const few = this.#fewOf(documents, matches);
    const among = few ?? best.next(matches, clock, passes);
    if (among === undefined) return undefined;
    const near = few === undefined ? nearest?.next(() => clock.isOverNow(), passes) : undefined;
    if (few === undefined && nearest !== undefined && near === undefined) return undefined;
    this.#wanted = [];
    this.#scores = [];
    this.#floor = -Infinity;
    this.#room = ROOM * this.#batch;
    const ranked = rank((document, score) => this.#passes(documents, document, score, clock), among, near);
    if (this.#wanted.length === 0) return ranked;
    this.#queue = this.#bestWanted();
    this.#batch *= GROWTH;
    return undefined;
  }

  /** Checks the documents in the queue. Returns whether all are checked. */
  #checkQueue(documents: Filtered, clock: Clock): boolean {
    const unread: number[] = [];
    for (let document = this.#queue.pop(); document !== undefined; document = this.#queue.pop()) {
      if (this.#check(documents, document) === undefined) unread.push(document);
      if (!clock.isOver()) continue;
      this.#queue.push(...unread.reverse());
      return false;
    }
    this.#queue = unread.reverse();
    return unread.length === 0;
  }

  #fewOf(documents: Filtered, matches: Matches): readonly number[] | undefined {
    if (this.#fewAfter === documents.changes) return this.#few;
    this.#few = documents.few(matches);
    this.#fewAfter = documents.changes;
    return this.#few;
  }

  #open({ table }: Filtered): void {
    if (this.#table === table) return;
    this.#table = table;
    this.#answers = new Map();
    this.#queue = [];
    this.#fewAfter = undefined;
  }

  #passes(documents: Filtered, document: number, score: number, clock: Clock): boolean {
    const isKnown = this.#isKnownToPass(documents, document);
    if (isKnown !== undefined) return isKnown;
    const passes = clock.isOver() ? undefined : this.#check(documents, document);
    if (passes === undefined) this.#want(document, score);
    return passes === true;
  }

  #isKnownToPass(documents: Filtered, document: number): boolean | undefined {
    if (!documents.mayPass(document)) return false;
    const answer = this.#answers.get(document);
    if (answer === undefined || Math.floor(answer / 2) !== documents.putOf(document)) return undefined;
    return answer % 2 === 1;
  }

  #want(document: number, score: number): void {
    if (score < this.#floor) return;
    this.#wanted.push(document);
    if (this.#scores.push(score) < this.#room) return;
    const floor = this.#floorOf(this.#batch);
    this.#floor = floor;
    this.#wanted = this.#wanted.filter((_, place) => (this.#scores[place] as number) >= floor);
    this.#scores = this.#scores.filter((one) => one >= floor);
    this.#room = ROOM * Math.max(this.#batch, this.#scores.length);
  }

  /** Returns `undefined` if the record must be read first. */
  #check(documents: Filtered, document: number): boolean | undefined {
    const put = documents.putOf(document);
    // It was removed since.
    if (put === 0) return false;
    const passes = documents.passes(document);
    if (passes === undefined) return undefined;
    this.#answers.set(document, put * 2 + (passes ? 1 : 0));
    return passes;
  }

  /** The wanted documents with the highest scores, about as many as a batch. */
  #bestWanted(): number[] {
    const floor = this.#floorOf(this.#batch);
    const best: number[] = [];
    // Of documents with the same score, the newest count, and those come last.
    for (let place = this.#wanted.length - 1; place >= 0 && best.length < this.#batch; place--) {
      if ((this.#scores[place] as number) >= floor) best.push(this.#wanted[place] as number);
    }
    return best.reverse();
  }

  /** The score that about `count` of the wanted documents reach, from a sample of them. */
  #floorOf(count: number): number {
    const { length } = this.#scores;
    if (length <= count) return -Infinity;
    const stride = Math.ceil(length / SAMPLE);
    const sample: number[] = [];
    for (let place = 0; place < length; place += stride) sample.push(this.#scores[place] as number);
    sample.sort((a, b) => b - a);
    return sample[Math.floor((sample.length * count) / length)] as number;
  }
}
