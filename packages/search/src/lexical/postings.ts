import { grow } from '../snapshot/grow.ts';
import { Arena } from './arena.ts';

/** A posting is one number: the document in the upper 24 bits, the frequency byte in the lower 8. */
const FREQUENCY_BITS = 8;
export const MAX_FREQUENCY = 2 ** FREQUENCY_BITS - 1;

/** Document numbers stay below this. */
export const MAX_DOCUMENTS = 2 ** (32 - FREQUENCY_BITS);

export function documentOf(posting: number): number {
  return posting >>> FREQUENCY_BITS;
}

export function frequencyOf(posting: number): number {
  return posting & MAX_FREQUENCY;
}

export function postingOf(document: number, frequency: number): number {
  return (document << FREQUENCY_BITS) | Math.min(frequency, MAX_FREQUENCY);
}

/**
 * Posting lists, one per term. Each list has a block whose size is a power of two. A full list moves
 * to a block of twice the size and frees its own. So a list with one posting, as most have, costs four bytes and its table
 * entry.
 */
export class Postings {
  readonly #arena = new Arena();
  #lists = 0;
  /** The numbers of lists that are no more. */
  readonly #free: number[] = [];
  #start = new Uint32Array(16);
  #count = new Uint32Array(16);
  /** The size exponent of each block. */
  #exponent = new Uint8Array(16);
  /** The epoch in which `prune` last processed each list. */
  #prunedIn = new Uint32Array(16);
  #epoch = 0;
  /** By document. Scratch memory of `union`, all 0 between calls. */
  #frequencies = new Uint32Array(0);

  /** The number of a new, empty list, with room for some postings. */
  open(room = 1): number {
    const list = this.#free.pop() ?? this.#lists++;
    this.#start = grow(this.#start, this.#lists);
    this.#count = grow(this.#count, this.#lists);
    this.#exponent = grow(this.#exponent, this.#lists);
    this.#prunedIn = grow(this.#prunedIn, this.#lists);
    const exponent = exponentFor(room);
    this.#start[list] = this.#arena.take(exponent);
    this.#exponent[list] = exponent;
    this.#count[list] = 0;
    this.#prunedIn[list] = 0;
    return list;
  }

  /** Removes a list. Its number can be that of another one. */
  close(list: number): void {
    this.#arena.free(this.#start[list] as number, this.#exponent[list] as number);
    this.#free.push(list);
  }

  /**
   * Counts one more occurrence in a document, up to 255. All occurrences of one document must come before those of
   * the next.
   */
  count(list: number, document: number): void {
    const count = this.#count[list] ?? 0;
    const start = this.#start[list] ?? 0;
    const posting = count === 0 ? undefined : this.#arena.get(start, count - 1);
    if (posting === undefined || documentOf(posting) !== document) this.append(list, postingOf(document, 1));
    else if (frequencyOf(posting) < MAX_FREQUENCY) this.#arena.set(start, count - 1, posting + 1);
  }

  append(list: number, posting: number): void {
    const count = this.#count[list] ?? 0;
    const exponent = this.#exponent[list] ?? 0;
    if (count === 2 ** exponent) this.#moveToBlock(list, count, exponent + 1);
    this.#arena.set(this.#start[list] ?? 0, count, posting);
    this.#count[list] = count + 1;
  }

  /** The postings of a list, as a view that is valid until the next change. */
  of(list: number): Uint32Array {
    return this.#arena.view(this.#start[list] ?? 0, this.#count[list] ?? 0);
  }

  /**
   * The postings of documents created after `after` and up to `upTo`. `created` are the creation numbers by document, below 0
   * if it was removed. A view that is valid until the next change.
   */
  between(list: number, after: number, upTo: number, created: Float64Array): Uint32Array {
    const postings = this.of(list);
    const from = after === 0 ? 0 : countUpTo(postings, after, created);
    const end = upTo === Infinity ? postings.length : countUpTo(postings, upTo, created);
    return end - from === postings.length ? postings : postings.subarray(from, end);
  }

  /** The merged postings of several lists, each document once. */
  union(lists: readonly Uint32Array[]): Uint32Array {
    const united = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
    let count = 0;
    for (const list of lists) {
      for (const posting of list) {
        const document = documentOf(posting);
        if (document >= this.#frequencies.length) this.#frequencies = grow(this.#frequencies, document + 1);
        if (this.#frequencies[document] === 0) united[count++] = document;
        (this.#frequencies[document] as number) += frequencyOf(posting);
      }
    }
    for (let place = 0; place < count; place++) {
      const document = united[place] as number;
      united[place] = postingOf(document, this.#frequencies[document] as number);
      this.#frequencies[document] = 0;
    }
    return united.subarray(0, count);
  }

  /** Call it when a document was removed, so that `prune` has work to do. */
  outdate(): void {
    this.#epoch++;
  }

  /** Drops the postings of removed documents. Returns at once if none was removed since the last time. */
  prune(list: number, isAlive: (document: number) => boolean): void {
    if (this.#prunedIn[list] === this.#epoch) return;
    const postings = this.of(list);
    let kept = 0;
    for (const posting of postings) {
      if (isAlive(documentOf(posting))) postings[kept++] = posting;
    }
    this.#count[list] = kept;
    this.#prunedIn[list] = this.#epoch;
  }

  /** Frees what a list no longer needs. */
  shrink(list: number): void {
    const count = this.#count[list] as number;
    const exponent = exponentFor(Math.max(1, count));
    if (exponent < (this.#exponent[list] as number)) this.#moveToBlock(list, count, exponent);
  }

  /** Puts postings before those of a list. */
  prepend(list: number, postings: Uint32Array): void {
    const [start, exponent] = [this.#start[list] as number, this.#exponent[list] as number];
    const own = this.of(list).length;
    const count = postings.length + own;
    const larger = exponentFor(count);
    const moved = this.#arena.take(larger);
    const block = this.#arena.view(moved, count);
    block.set(postings);
    block.set(this.#arena.view(start, own), postings.length);
    this.#arena.free(start, exponent);
    this.#start[list] = moved;
    this.#exponent[list] = larger;
    this.#count[list] = count;
    // Some may be of documents that are removed.
    this.#prunedIn[list] = 0;
  }

  #moveToBlock(list: number, count: number, exponent: number): void {
    const start = this.#start[list] ?? 0;
    const moved = this.#arena.take(exponent);
    this.#arena.view(moved, count).set(this.#arena.view(start, count));
    this.#arena.free(start, this.#exponent[list] ?? 0);
    this.#start[list] = moved;
    this.#exponent[list] = exponent;
  }
}

/** How many postings of a list are of documents created up to `upTo`: the list is in order of creation. */
function countUpTo(postings: Uint32Array, upTo: number, created: Float64Array): number {
  const last = postings.at(-1);
  // Mostly all of them.
  if (last === undefined || Math.abs(created[documentOf(last)] as number) <= upTo) return postings.length;
  let from = 0;
  let to = postings.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (Math.abs(created[documentOf(postings[middle] as number)] as number) > upTo) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The exponent of a block's size for a number of postings. */
function exponentFor(count: number): number {
  return 32 - Math.clz32(count - 1);
}
