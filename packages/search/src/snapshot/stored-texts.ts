import { endsStep } from './ends-step.ts';
import { grow } from './grow.ts';
import { encode, type Pieces, parseTexts, type SectionReader, type Sections, section, unusable } from './snapshot.ts';
import { bytesAt, bytesOf, ifThere, type StoredBytes, StoredNumbers } from './stored-bytes.ts';

/*
 * Numbered texts of which single ones are read: by number, or the number by the text. Each block of some texts is JSON, and a
 * hash table leads from a text to its number.
 */

/** How many texts are one block. */
const BLOCK_TEXTS = 32;
/** The hash table has at least this many slots per text. */
const SLOTS_PER_TEXT = 1.5;
/** A slot has the number of a text from 1, and above it the highest bits of its hash. */
const NUMBER_BITS = 26;
const NUMBERS = 2 ** NUMBER_BITS - 1;

/** The sections of texts in this order, all different. `name` tells them from other texts of the snapshot. */
export function* packTexts(name: string, texts: Iterable<string>): Sections {
  let ends = new Uint32Array(16);
  let blocks = 0;
  let hashes = new Uint32Array(16);
  let count = 0;
  let end = 0;
  let block: string[] = [];
  const finishBlock = () => {
    const bytes = encode(JSON.stringify(block));
    block = [];
    end += bytes.length;
    ends = grow(ends, blocks + 1);
    ends[blocks++] = end;
    return bytes;
  };
  yield name;
  for (const text of texts) {
    if (count === NUMBERS) throw new RangeError(`A snapshot can only contain ${NUMBERS} texts.`);
    hashes = grow(hashes, count + 1);
    hashes[count++] = hashOf(text);
    if (block.push(text) === BLOCK_TEXTS) yield finishBlock();
  }
  if (block.length > 0) yield finishBlock();
  yield* section(endsOf(name), bytesOf(ends.subarray(0, blocks)));
  yield* section(slotsOf(name), hashTable(hashes.subarray(0, count)));
}

/** Slots, at the place of the hash or the next free one. */
function* hashTable(hashes: Uint32Array): Pieces {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, hashes.length * SLOTS_PER_TEXT)));
  const slots = new Uint32Array(size);
  for (const [number, hash] of hashes.entries()) {
    let slot = hash % size;
    while (slots[slot] !== 0) slot = (slot + 1) % size;
    slots[slot] = ((hash & ~NUMBERS) | (number + 1)) >>> 0;
    if (endsStep(number)) yield;
  }
  yield bytesOf(slots);
}

/** Reads the output of {@link packTexts}. */
export class StoredTexts {
  readonly count: number;
  readonly #blocks: StoredBytes;
  readonly #ends: StoredNumbers<Uint32Array>;
  readonly #slots: StoredNumbers<Uint32Array>;
  /** The block that was read last. */
  #block: readonly string[] = [];
  #blockNumber = -1;

  constructor(section: SectionReader, name: string, count: number) {
    this.count = count;
    this.#blocks = section(name);
    this.#ends = new StoredNumbers(section(endsOf(name)), new Uint32Array(1));
    this.#slots = new StoredNumbers(section(slotsOf(name)), new Uint32Array(1));
    const hasRoom = this.#slots.count >= count * SLOTS_PER_TEXT;
    if (this.#ends.count !== Math.ceil(count / BLOCK_TEXTS) || !hasRoom) unusable();
  }

  /** The text with a number. */
  at(number: number): string {
    const place = Math.floor(number / BLOCK_TEXTS);
    if (place !== this.#blockNumber) this.#block = this.#readBlock(place);
    this.#blockNumber = place;
    return this.#block[number % BLOCK_TEXTS] as string;
  }

  /** Asks for what {@link at} reads. */
  want(number: number): void {
    const place = Math.floor(number / BLOCK_TEXTS);
    if (this.#blocks.want === undefined || place === this.#blockNumber) return;
    const range = ifThere(() => this.#rangeOf(place));
    if (range !== undefined) this.#blocks.want(range.from, range.end - range.from);
  }

  /** The number of a text, or `undefined` if it is not among them. */
  find(text: string): number | undefined {
    const hash = hashOf(text);
    const size = this.#slots.count;
    for (let probes = 0, slot = hash % size; probes < size; probes++, slot = (slot + 1) % size) {
      const [value = 0] = this.#slots.at(slot);
      if (value === 0) return undefined;
      const number = value & NUMBERS;
      if (((value ^ hash) & ~NUMBERS) !== 0 || number === 0 || number > this.count) continue;
      if (this.at(number - 1) === text) return number - 1;
    }
    return undefined;
  }

  #readBlock(place: number): readonly string[] {
    const { from, end } = this.#rangeOf(place);
    const texts = parseTexts(bytesAt(this.#blocks, from, end - from));
    const count = Math.min(BLOCK_TEXTS, this.count - place * BLOCK_TEXTS);
    return texts.length === count ? texts : unusable();
  }

  #rangeOf(place: number): { readonly from: number; readonly end: number } {
    const from = place === 0 ? 0 : this.#endOf(place - 1);
    const end = this.#endOf(place);
    return from >= 0 && from <= end && end <= this.#blocks.length ? { from, end } : unusable();
  }

  #endOf(place: number): number {
    const [end = 0] = this.#ends.at(place);
    return end;
  }
}

function endsOf(name: string): string {
  return `ends of ${name}`;
}

function slotsOf(name: string): string {
  return `slots of ${name}`;
}

/** FNV-1a of the UTF-16 units, mixed so that the low bits depend on all of them. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
