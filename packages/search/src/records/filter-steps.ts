import { grow } from '../snapshot/grow.ts';
import { STEP_MS } from './pause.ts';

/** The documents of a table, as a filter sees them. */
export interface Filtered {
  /** What the numbers of documents and puts belong to. */
  readonly table: object;
  /** All document numbers are below. */
  readonly count: number;
  /** The number of the document's last put; 0 without a document. */
  putOf(document: number): number;
  /** Whether the document can pass, as far as that is known without reading the record. */
  mayPass(document: number): boolean;
  /** Reads the record. */
  passes(document: number): boolean;
}

/** Whether a document passes the filter. A search prefers documents with a higher score. */
export type Passes = (document: number, score: number) => boolean;

/** How many documents are checked before the next ranking. Grows, so that a search ranks few times. */
const FIRST_BATCH = 1024;
const GROWTH = 2;
/** If fewer than 1 in 100 pass, nearly all must be checked anyway. */
const GROWTH_IF_FEW_PASS = 8;
/** How many scores are compared to find the best documents. */
const SAMPLE = 1024;
/** How many cheap checks are between two looks at the clock. */
const UNTIMED = 4;

/**
 * The filter of a search that runs in steps. A step ranks with what is known of the filter. If the ranking asks about more
 * documents than a step has time for, the next steps check the best of them, and then it is repeated.
 *
 * Between two steps the table can change, or be another one: what was found out about a document holds until it is put again.
 */
export class FilterSteps {
  readonly #stepMs: number;
  #table: object | undefined;
  /** By document: twice the number of the put that was checked, plus 1 if it passes; 0 for none. */
  #known = new Float64Array(0);
  /** The documents to check before the next ranking. */
  #queue: number[] = [];
  #batch = FIRST_BATCH;
  #checked = 0;
  #passed = 0;
  /** What the last ranking asked for in vain, and their scores. */
  #wanted: number[] = [];
  #scores: number[] = [];

  /** @param stepMs - `Infinity` for a search in one step. */
  constructor(stepMs = STEP_MS) {
    this.#stepMs = stepMs;
  }

  /** Runs the next step. Returns the result of `rank`, or `undefined` if there must be another step. */
  next<T>(documents: Filtered, rank: (passes: Passes) => T): T | undefined {
    this.#open(documents);
    const clock = new Clock(this.#stepMs);
    for (let document = this.#queue.pop(); document !== undefined; document = this.#queue.pop()) {
      this.#check(documents, document);
      if (clock.isOver()) return undefined;
    }
    this.#wanted = [];
    this.#scores = [];
    // Ranking itself takes time, too.
    const own = new Clock(this.#stepMs);
    const ranked = rank((document, score) => this.#passes(documents, document, score, own));
    if (this.#wanted.length === 0) return ranked;
    this.#queue = this.#bestWanted();
    this.#batch *= this.#passed * 100 < this.#checked ? GROWTH_IF_FEW_PASS : GROWTH;
    return undefined;
  }

  #open({ table, count }: Filtered): void {
    if (this.#table !== table) {
      this.#table = table;
      this.#known = new Float64Array(0);
      this.#queue = [];
    }
    this.#known = grow(this.#known, count);
  }

  #passes(documents: Filtered, document: number, score: number, clock: Clock): boolean {
    if (!documents.mayPass(document)) return false;
    const known = this.#known[document] as number;
    if (known >= 2 && Math.floor(known / 2) === documents.putOf(document)) return known % 2 === 1;
    if (!clock.isOver()) return this.#check(documents, document);
    this.#wanted.push(document);
    this.#scores.push(score);
    return false;
  }

  #check(documents: Filtered, document: number): boolean {
    const put = documents.putOf(document);
    // It was removed since.
    if (put === 0) return false;
    const passes = documents.passes(document);
    this.#known[document] = put * 2 + (passes ? 1 : 0);
    this.#checked++;
    if (passes) this.#passed++;
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

/** Tells when a step is over. Looks at the time now and then. */
class Clock {
  readonly #until: number;
  #calls = 0;
  #isOver = false;

  constructor(ms: number) {
    this.#until = performance.now() + ms;
  }

  isOver(): boolean {
    if (!this.#isOver && ++this.#calls % UNTIMED === 0) this.#isOver = performance.now() >= this.#until;
    return this.#isOver;
  }
}
