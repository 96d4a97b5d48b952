import type { Matches } from '../lexical/matching.ts';
import { TopK } from '../lexical/top-k.ts';
import type { Clock } from './clock.ts';
import { ReadAhead, type Verdict } from './read-ahead.ts';

/** About how many documents are looked at before those with lower scores. */
const FIRST_BATCH = 1_024;
const GROWTH = 4;
/** How many scores are compared to find the best documents. */
const SAMPLE = 1_024;
/** How many documents with too low scores are passed over between two looks at the time. */
const UNTIMED = 1_024;

/** Documents to look at, from the newest, which rank before others with the same score. */
interface Scan {
  readonly from: number;
  /** The index after the next one. */
  place: number;
  /** Documents with this score or a higher one have been looked at. */
  readonly ceiling: number;
}

/**
 * Finds the best documents by words, or of those that pass a filter, in steps between which documents can be added and removed.
 * Looks at those with the highest scores first, and ends once no other can be among the best.
 */
export class BestPassing {
  readonly #limit: number;
  readonly #factorOf: ((document: number) => number) | undefined;
  #best: TopK;
  #scans: Scan[] = [];
  /** How many documents are or were in scans. */
  #end = 0;
  /** Documents with lower scores have not been looked at. */
  #floor = Infinity;
  #batch = FIRST_BATCH;
  #passedOver = 0;

  /** @param factorOf - What to multiply the score of a document with. */
  constructor(limit: number, factorOf: ((document: number) => number) | undefined) {
    this.#limit = limit;
    this.#factorOf = factorOf;
    this.#best = new TopK(limit);
  }

  /** The best documents, unordered; `undefined` if there must be another step. */
  next(matches: Matches, clock: Clock, passes?: Verdict): readonly number[] | undefined {
    const { created, documents } = matches;
    // Others were rejected in favour of one that is gone.
    if (this.#best.kept.some(({ id }) => (created[id] as number) < 0)) this.#restart();
    if (this.#floor < Infinity) this.#scanFrom(this.#end, documents.length, Infinity);
    for (;;) {
      if (!this.#runScans(matches, clock, passes)) return undefined;
      if (this.#floor === 0 || this.#best.floor >= this.#floor) return this.#best.kept.map(({ id }) => id);
      const ceiling = this.#floor;
      this.#floor = this.#floorBelow(ceiling, matches);
      this.#batch *= GROWTH;
      this.#scanFrom(0, documents.length, ceiling);
    }
  }

  #restart(): void {
    this.#best = new TopK(this.#limit);
    this.#scans = [];
    this.#end = 0;
    this.#floor = Infinity;
    this.#batch = FIRST_BATCH;
  }

  #scanFrom(from: number, end: number, ceiling: number): void {
    if (from < end) this.#scans.push({ from, place: end, ceiling });
    this.#end = end;
  }

  #runScans(matches: Matches, clock: Clock, passes?: Verdict): boolean {
    for (let scan = this.#scans.at(-1); scan !== undefined; scan = this.#scans.at(-1)) {
      if (!this.#run(scan, matches, clock, passes)) return false;
      this.#scans.pop();
    }
    return true;
  }

  /** Returns whether all documents of the scan have been looked at. */
  #run(scan: Scan, matches: Matches, clock: Clock, passes?: Verdict): boolean {
    const { documents, created } = matches;
    const ahead = new ReadAhead();
    while (scan.place > scan.from) {
      if (++this.#passedOver % UNTIMED === 0 && clock.isOverNow()) break;
      const document = documents[--scan.place] as number;
      const score = this.#scoreOf(document, matches);
      // Rejects most of them.
      if (score < this.#floor || score >= scan.ceiling) continue;
      const age = created[document] as number;
      if (age < 0 || !this.#best.accepts(score, age)) continue;
      const verdict = passes === undefined || passes(document);
      if (ahead.accepts(verdict, scan.place)) this.#best.offer(document, score, age);
      if (ahead.isFull || (passes !== undefined && clock.isOver())) break;
    }
    if (ahead.first === undefined) return scan.place === scan.from;
    scan.place = ahead.first + 1;
    return false;
  }

  #scoreOf(document: number, { scores }: Matches): number {
    const score = scores[document] as number;
    return this.#factorOf === undefined ? score : score * this.#factorOf(document);
  }

  /** The score that about a batch of documents below the ceiling reach, from a sample; 0 for all. */
  #floorBelow(ceiling: number, matches: Matches): number {
    const { documents } = matches;
    const stride = Math.ceil(documents.length / SAMPLE);
    const sample = new Float64Array(SAMPLE);
    let count = 0;
    for (let place = 0; place < documents.length; place += stride) {
      const score = this.#scoreOf(documents[place] as number, matches);
      if (score < ceiling) sample[count++] = score;
    }
    // Numbers in an array of their type are sorted several times as fast.
    const sorted = sample.subarray(0, count).sort();
    return sorted[count - 1 - Math.floor(this.#batch / stride)] ?? 0;
  }
}
