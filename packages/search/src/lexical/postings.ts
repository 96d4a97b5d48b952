import { grow } from '../snapshot/grow.ts';
import type { NumberReader, NumberWriter } from '../snapshot/numbers.ts';
import { unusable } from '../snapshot/snapshot.ts';

/** A posting is one number: the document in the upper 24 bits, the frequency byte in the lower 8. */
const FREQUENCY_BITS = 8;
const MAX_FREQUENCY = 2 ** FREQUENCY_BITS - 1;

/** Document numbers stay below this. */
export const MAX_DOCUMENTS = 2 ** (32 - FREQUENCY_BITS);

export function documentOf(posting: number): number {
  return posting >>> FREQUENCY_BITS;
}

export function frequencyOf(posting: number): number {
  return posting & MAX_FREQUENCY;
}

function postingOf(document: number, frequency: number): number {
  return (document << FREQUENCY_BITS) | Math.min(frequency, MAX_FREQUENCY);
}

/**
 * Posting lists, one per term, in one growing array. Each list has a block whose size is a power of two. A full list moves
 * to a block of twice the size and frees its own. So a list with one posting, as most have, costs four bytes and its table
 * entry.
 */
export class Postings {
  #arena = new Uint32Array(64);
  #arenaEnd = 0;
  #lists = 0;
  #start = new Uint32Array(16);
  #count = new Uint32Array(16);
  /** The size exponent of each block. */
  #exponent = new Uint8Array(16);
  /** The epoch in which `prune` last processed each list. */
  #prunedIn = new Uint32Array(16);
  #epoch = 0;
  /** By document. Scratch memory of `union`, all 0 between calls. */
  #frequencies = new Uint32Array(0);
  /** Offsets of free blocks, by exponent. */
  readonly #vacant: number[][] = [];

  /** The number of a new, empty list, with room for some postings. */
  open(room = 1): number {
    const list = this.#lists++;
    this.#start = grow(this.#start, this.#lists);
    this.#count = grow(this.#count, this.#lists);
    this.#exponent = grow(this.#exponent, this.#lists);
    this.#prunedIn = grow(this.#prunedIn, this.#lists);
    const exponent = exponentFor(room);
    this.#start[list] = this.#takeBlock(exponent);
    this.#exponent[list] = exponent;
    return list;
  }

  /**
   * Counts one more occurrence in a document, up to 255. All occurrences of one document must come before those of
   * the next.
   */
  count(list: number, document: number): void {
    const count = this.#count[list] ?? 0;
    const last = (this.#start[list] ?? 0) + count - 1;
    const posting = this.#arena[last] ?? 0;
    if (count === 0 || documentOf(posting) !== document) this.append(list, postingOf(document, 1));
    else if (frequencyOf(posting) < MAX_FREQUENCY) this.#arena[last] = posting + 1;
  }

  append(list: number, posting: number): void {
    const count = this.#count[list] ?? 0;
    if (count === 2 ** (this.#exponent[list] ?? 0)) this.#moveToLargerBlock(list, count);
    this.#arena[(this.#start[list] ?? 0) + count] = posting;
    this.#count[list] = count + 1;
  }

  /** The postings of a list, as a view that is valid until the next change. */
  of(list: number): Uint32Array {
    const start = this.#start[list] ?? 0;
    return this.#arena.subarray(start, start + (this.#count[list] ?? 0));
  }

  /** The merged postings of several lists, each document once. Valid until the next change. */
  union(lists: readonly number[]): Uint32Array {
    if (lists.length === 1) return this.of(lists[0] as number);
    const united = new Uint32Array(lists.reduce((sum, list) => sum + (this.#count[list] as number), 0));
    let count = 0;
    for (const list of lists) {
      for (const posting of this.of(list)) {
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

  /**
   * Writes a list. Its documents are in order of creation, so the ranks in that order have small deltas. A delta and whether
   * the frequency is one, as for most, are one number.
   */
  write(list: number, rankOf: Uint32Array, into: NumberWriter): void {
    const postings = this.of(list);
    into.write(postings.length);
    let next = 0;
    for (const posting of postings) {
      const rank = rankOf[documentOf(posting)] as number;
      const frequency = frequencyOf(posting);
      into.write((rank - next) * 2 + (frequency === 1 ? 0 : 1));
      if (frequency !== 1) into.write(frequency);
      next = rank + 1;
    }
  }

  /** The array size that these lists need. */
  roomOf(lists: readonly number[]): number {
    return lists.reduce((room, list) => room + 2 ** exponentFor(this.#count[list] as number), 0);
  }

  /** Reserves room at once. */
  reserve(room: number): void {
    this.#arena = grow(this.#arena, room);
  }

  /** Reads a list and returns its new number. `documents` are all documents by rank. */
  read(documents: Uint32Array, from: NumberReader): number {
    const count = from.read();
    if (count === 0 || count > documents.length) unusable();
    const list = this.open(count);
    const start = this.#start[list] as number;
    let next = 0;
    for (let place = 0; place < count; place++) {
      const step = from.read();
      const frequency = (step & 1) === 0 ? 1 : from.read();
      next += step >>> 1;
      if (next >= documents.length || frequency === 0 || frequency > MAX_FREQUENCY) unusable();
      this.#arena[start + place] = ((documents[next++] as number) << FREQUENCY_BITS) | frequency;
    }
    this.#count[list] = count;
    return list;
  }

  #moveToLargerBlock(list: number, count: number): void {
    const start = this.#start[list] ?? 0;
    const exponent = this.#exponent[list] ?? 0;
    const larger = this.#takeBlock(exponent + 1);
    this.#arena.copyWithin(larger, start, start + count);
    this.#start[list] = larger;
    this.#exponent[list] = exponent + 1;
    const vacant = this.#vacant[exponent];
    if (vacant === undefined) this.#vacant[exponent] = [start];
    else vacant.push(start);
  }

  #takeBlock(exponent: number): number {
    const vacant = this.#vacant[exponent]?.pop();
    if (vacant !== undefined) return vacant;
    const start = this.#arenaEnd;
    this.#arenaEnd += 2 ** exponent;
    this.#arena = grow(this.#arena, this.#arenaEnd);
    return start;
  }
}

/** The exponent of a block's size for a number of postings. */
function exponentFor(count: number): number {
  return 32 - Math.clz32(count - 1);
}
