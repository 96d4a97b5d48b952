import { grow } from './grow.ts';

/** One conversation. */
interface Thread {
  readonly name: string;
  /** In the order of their turns, once tidied. */
  documents: number[];
  /** How many are there. */
  size: number;
  /** Whether `documents` is in order and without gaps. */
  tidy: boolean;
}

/** In the place of a document that was removed. */
const GAP = -1;
/** Gaps are cleared away when a thread has more places than this, and more than twice as many as documents. */
const MIN_PLACES = 64;

/** Which documents stand beside which: those of one thread, by the index of the turn; of equal ones, as they came. */
export class Threads {
  readonly #threads = new Map<string, Thread>();
  readonly #threadOf: (Thread | undefined)[] = [];
  /** By document: where it stands in its thread. */
  #place = new Uint32Array(0);
  #index = new Float64Array(0);

  add(document: number, name: string, index: number): void {
    const thread = this.#open(name);
    this.#place = grow(this.#place, document + 1);
    this.#index = grow(this.#index, document + 1);
    const last = thread.documents.at(-1);
    // Documents nearly always come in order: there is nothing to tidy then.
    if (last !== undefined && (last === GAP || (this.#index[last] as number) > index)) thread.tidy = false;
    this.#threadOf[document] = thread;
    this.#index[document] = index;
    this.#place[document] = thread.documents.push(document) - 1;
    thread.size++;
  }

  remove(document: number): void {
    const thread = this.#threadOf[document];
    if (thread === undefined) return;
    // At once: the number of the document may come again before the thread is tidied.
    thread.documents[this.#place[document] as number] = GAP;
    thread.tidy = false;
    thread.size--;
    this.#threadOf[document] = undefined;
    if (thread.size === 0) this.#threads.delete(thread.name);
    else if (thread.documents.length > Math.max(MIN_PLACES, 2 * thread.size)) this.#tidy(thread);
  }

  /** The documents of the thread that a document is in, in the order of their turns; `undefined` where it is in none. */
  around(document: number): readonly number[] | undefined {
    const thread = this.#threadOf[document];
    if (thread?.tidy === false) this.#tidy(thread);
    return thread?.documents;
  }

  /** Where a document stands among those that {@link around} gives, until one is added or removed. */
  placeOf(document: number): number {
    return this.#place[document] as number;
  }

  /** The name of the thread that a document is in. */
  nameOf(document: number): string | undefined {
    return this.#threadOf[document]?.name;
  }

  indexOf(document: number): number {
    return this.#index[document] as number;
  }

  #open(name: string): Thread {
    let thread = this.#threads.get(name);
    if (thread === undefined) {
      thread = { name, documents: [], size: 0, tidy: true };
      this.#threads.set(name, thread);
    }
    return thread;
  }

  #tidy(thread: Thread): void {
    // Sorting is stable, and those of equal index came one after the other.
    thread.documents = thread.documents
      .filter((document) => document !== GAP)
      .sort((a, b) => (this.#index[a] as number) - (this.#index[b] as number));
    for (const [place, document] of thread.documents.entries()) this.#place[document] = place;
    thread.tidy = true;
  }
}
