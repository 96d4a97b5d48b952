import type { Steps } from '@keepsake/internal';
import { endsStep } from '../snapshot/ends-step.ts';
import { NumberReader, NumberWriter } from '../snapshot/numbers.ts';
import { type Pieces, type SectionReader, type Sections, section, unusable } from '../snapshot/snapshot.ts';
import { bytesAt, bytesOf, ifThere, type StoredBytes, StoredNumbers } from '../snapshot/stored-bytes.ts';
import { packTexts, StoredTexts } from '../snapshot/stored-texts.ts';
import { documentOf, frequencyOf, MAX_FREQUENCY, postingOf } from './postings.ts';

/** What is written of a list. */
export interface ListToPack {
  readonly word: string;
  readonly postings: Uint32Array;
}

/** How many postings are written in one step. */
const MAX_POSTINGS = 16_384;
/** A list takes at least two numbers: how many documents it has, and the first of them. */
const MIN_BYTES = 2;

/**
 * The sections of lists. `rankOf` is the place of each document in order of creation, as in every list; `NO_RANK` leaves it
 * out. Lists without documents are left out.
 */
export function* packLists(name: string, lists: Iterable<ListToPack>, rankOf: Uint32Array): Sections {
  const words: string[] = [];
  const ends: number[] = [];
  yield* section(name, packed(lists, rankOf, words, ends));
  yield* section(endsOf(name), bytesOf(Uint32Array.from(ends)));
  yield* packTexts(wordsOf(name), words);
}

/** Stands for a removed document. */
export const NO_RANK = 2 ** 32 - 1;

function* packed(lists: Iterable<ListToPack>, rankOf: Uint32Array, words: string[], ends: number[]): Pieces {
  const writer = new NumberWriter();
  let [end, count, seen] = [0, 0, 0];
  const take = () => {
    const piece = writer.take();
    end += piece.length;
    return piece;
  };
  for (const { word, postings } of lists) {
    const length = lengthOf(postings, rankOf);
    if (length > 0) {
      yield* writeList(writer, postings, length, rankOf);
      words.push(word);
      ends.push(end + writer.bytes.length);
    }
    count += postings.length;
    if (count < MAX_POSTINGS && !endsStep(seen++)) continue;
    count = 0;
    yield take();
  }
  yield take();
}

function lengthOf(postings: Uint32Array, rankOf: Uint32Array): number {
  let length = 0;
  for (const posting of postings) if (rankOf[documentOf(posting)] !== NO_RANK) length++;
  return length;
}

/** Ranks have small deltas. A delta and whether the frequency is one, as for most, are one number. */
function* writeList(writer: NumberWriter, postings: Uint32Array, length: number, rankOf: Uint32Array): Steps<void> {
  writer.write(length);
  let next = 0;
  for (let place = 0; place < postings.length; place++) {
    const posting = postings[place] as number;
    if (place % MAX_POSTINGS === MAX_POSTINGS - 1) yield;
    const rank = rankOf[documentOf(posting)] as number;
    if (rank === NO_RANK) continue;
    const frequency = frequencyOf(posting);
    writer.write((rank - next) * 2 + (frequency === 1 ? 0 : 1));
    if (frequency !== 1) writer.write(frequency);
    next = rank + 1;
  }
}

/** Reads the output of {@link packLists}. */
export class StoredLists {
  readonly words: StoredTexts;
  readonly #lists: StoredBytes;
  readonly #ends: StoredNumbers<Uint32Array>;
  /** All documents by rank. */
  readonly #documents: Uint32Array;

  constructor(section: SectionReader, name: string, documents: Uint32Array) {
    this.#documents = documents;
    this.#lists = section(name);
    this.#ends = new StoredNumbers(section(endsOf(name)), new Uint32Array(1));
    const { count } = this.#ends;
    if (!Number.isInteger(count) || this.#lists.length < count * MIN_BYTES) unusable();
    this.words = new StoredTexts(section, wordsOf(name), count);
  }

  /** The postings of a word, or `undefined` without such a word. */
  read(word: string): Uint32Array | undefined {
    const number = this.words.find(word);
    return number === undefined ? undefined : this.#read(number);
  }

  /** Asks for what {@link read} reads. */
  want(word: string): void {
    if (this.#lists.want === undefined) return;
    const range = ifThere(() => {
      const number = this.words.find(word);
      return number === undefined ? undefined : this.#rangeOf(number);
    });
    if (range !== undefined) this.#lists.want(range.from, range.end - range.from);
  }

  /** Whether all lists are there and stay there. Asks for them if not. */
  keep(): boolean {
    return this.#lists.keep?.() ?? true;
  }

  #rangeOf(number: number): { readonly from: number; readonly end: number } {
    const from = number === 0 ? 0 : this.#endOf(number - 1);
    const end = this.#endOf(number);
    return from >= 0 && from <= end && end <= this.#lists.length ? { from, end } : unusable();
  }

  #read(number: number): Uint32Array {
    const { from, end } = this.#rangeOf(number);
    const reader = new NumberReader(bytesAt(this.#lists, from, end - from));
    const count = reader.read();
    if (count === 0 || count > this.#documents.length) unusable();
    const postings = new Uint32Array(count);
    let next = 0;
    for (let place = 0; place < count; place++) {
      const step = reader.read();
      const frequency = (step & 1) === 0 ? 1 : reader.read();
      next += step >>> 1;
      if (next >= this.#documents.length || frequency === 0 || frequency > MAX_FREQUENCY) unusable();
      postings[place] = postingOf(this.#documents[next++] as number, frequency);
    }
    return reader.atEnd ? postings : unusable();
  }

  #endOf(number: number): number {
    const [end = 0] = this.#ends.at(number);
    return end;
  }
}

function endsOf(name: string): string {
  return `ends of lists of ${name}`;
}

function wordsOf(name: string): string {
  return `words of ${name}`;
}
