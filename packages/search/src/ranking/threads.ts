import { grow } from '../snapshot/grow.ts';

/** One conversation. */
interface Thread {
  readonly name: string;
  /** In the order of their turns, after tidying. */
  documents: number[];
  /** The number of documents. */
  size: number;
  /** Whether `documents` is in order and without gaps. */
  tidy: boolean;
}

/** Marks a removed document. */
const GAP = -1;
/** Gaps are removed once a thread has more positions than this, and more than twice as many as documents. */
const MIN_PLACES = 64;

/** The order of documents in each thread: by turn index, then by creation. */
export class Threads {
  readonly #threads = new Map<string, Thread>();
  readonly #threadOf: (Thread | undefined)[] = [];
  /** By document: its position in its thread. */
  #place = new Uint32Array(0);
  #index = new Float64Array(0);

  add(document: number, name: string, index: number): void {
    const thread = this.#open(name);
    this.#place = grow(this.#place, document + 1);
    this.#index = grow(this.#index, document + 1);
    const last = thread.documents.at(-1);
    // Documents nearly always arrive in order, and then there is nothing to tidy.
    if (last !== undefined && (last === GAP || (this.#index[last] as number) > index)) thread.tidy = false;
    this.#threadOf[document] = thread;
    this.#index[document] = index;
    this.#place[document] = thread.documents.push(document) - 1;
    thread.size++;
  }

  remove(document: number): void {
    const thread = this.#threadOf[document];
    if (thread === undefined) return;
    // At once, because the document's number can be reused before the thread is tidied.
    thread.documents[this.#place[document] as number] = GAP;
    thread.tidy = false;
    thread.size--;
    this.#threadOf[document] = undefined;
    if (thread.size === 0) this.#threads.delete(thread.name);
    else if (thread.documents.length > Math.max(MIN_PLACES, 2 * thread.size)) this.#tidy(thread);
  }

  /** The documents of a document's thread, in the order of their turns; `undefined` without a thread. */
  around(document: number): readonly number[] | undefined {
    const thread = this.#threadOf[document];
    if (thread?.tidy === false) this.#tidy(thread);
    return thread?.documents;
  }

  /** The position of a document in the result of {@link around}, until one is added or removed. */
  placeOf(document: number): number {
    return this.#place[document] as number;
  }

  /** The name of a document's thread. */
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
    // Sorting is stable, so ties stay in order of creation.
    thread.documents = thread.documents
      .filter((document) => document !== GAP)
      .sort((a, b) => (this.#index[a] as number) - (this.#index[b] as number));
    for (const [place, document] of thread.documents.entries()) this.#place[document] = place;
    thread.tidy = true;
  }
}
