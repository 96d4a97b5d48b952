import { grow } from './grow.ts';
import type { NumberReader, NumberWriter } from './numbers.ts';
import { unusable } from './snapshot.ts';

/** A posting is one number: the document in the upper 24 bits, how often it holds the term in the lower 8. */
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
 * Lists of postings, one a term, in one growing array. Each list has a block there, whose size is a power of two; a
 * full list moves to a block of twice the size and leaves its own for another. So a list that is never longer than
 * one posting, as most are, costs four bytes and its place in the tables.
 */
export class Postings {
  #arena = new Uint32Array(64);
  #arenaEnd = 0;
  #lists = 0;
  #start = new Uint32Array(16);
  #count = new Uint32Array(16);
  /** Of each block the exponent of its size. */
  #exponent = new Uint8Array(16);
  /** Of each list the epoch in which `prune` last went through it. */
  #prunedIn = new Uint32Array(16);
  #epoch = 0;
  /** By document. Used by `union`, and all 0 between its calls. */
  #frequencies = new Uint32Array(0);
  /** Starts of blocks that were left, by exponent. */
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

  /** The postings of a list: a view that is good until the next change. */
  of(list: number): Uint32Array {
    const start = this.#start[list] ?? 0;
    return this.#arena.subarray(start, start + (this.#count[list] ?? 0));
  }

  /** The postings of several lists as those of one, each document once. Good until the next change, likewise. */
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

  /** To be called when a document has died: from now on `prune` has work to do. */
  outdate(): void {
    this.#epoch++;
  }

  /** Drops the postings of documents that are no longer alive; at once where none has died since the last time. */
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
   * Writes a list. Its documents stand in the order in which they were added, so by their ranks in that order each is
   * a small step from the one before; with whether it holds the term once, as most do, that is one number.
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

  /** How much of the array these lists need. */
  roomOf(lists: readonly number[]): number {
    return lists.reduce((room, list) => room + 2 ** exponentFor(this.#count[list] as number), 0);
  }

  /** Makes so much room at once. */
  reserve(room: number): void {
    this.#arena = grow(this.#arena, room);
  }

  /** Reads a list, as the number of a new one. `documents` are all that there are, by their ranks. */
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

/** Of the size of a block for so many postings. */
function exponentFor(count: number): number {
  return 32 - Math.clz32(count - 1);
}
