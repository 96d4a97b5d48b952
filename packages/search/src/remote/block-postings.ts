import { FREQUENCY_STEPS, frequencyStep, LENGTH_STEPS } from '../lexical/tf-quantizer.ts';

/*
 * The index of a namespace is in blocks of documents with consecutive numbers. A row has the postings of one term in one
 * block: for each document two bytes of its place in the block, little-endian, and its `quantizedFrequency`, in the order of
 * the documents. So adding a document rewrites rows of the last block only, however many there are.
 */

/** A block has 2 ** this documents. */
const BLOCK_BITS = 13;
export const BLOCK_SIZE = 2 ** BLOCK_BITS;
export const POSTING_BYTES = 3;

export function blockOf(document: number): number {
  return Math.floor(document / BLOCK_SIZE);
}

export function firstDocumentOf(block: number): number {
  return block * BLOCK_SIZE;
}

export function placeOf(document: number): number {
  return document % BLOCK_SIZE;
}

/**
 * The postings of a word or a group of terms: by block, the lists to score separately. The lists of one block must not change
 * while they are in use.
 */
export type BlockPostings = ReadonlyMap<number, readonly Uint8Array[]>;

/** How many documents there are in all lists. */
export function countOf(postings: BlockPostings): number {
  let bytes = 0;
  for (const lists of postings.values()) for (const { length } of lists) bytes += length;
  return bytes / POSTING_BYTES;
}

/** The offset of a document's posting; -1 if it has none. */
export function findPosting(postings: Uint8Array, place: number): number {
  let [low, high] = [0, postings.length / POSTING_BYTES - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = middle * POSTING_BYTES;
    const found = placeAt(postings, at);
    if (found === place) return at;
    if (found < place) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function placeAt(postings: Uint8Array, at: number): number {
  return (postings[at] as number) | ((postings[at + 1] as number) << 8);
}

/** Postings without those of some documents. */
export function withoutPlaces(postings: Uint8Array, places: ReadonlySet<number>): Uint8Array {
  const kept = new Uint8Array(postings.length);
  let length = 0;
  for (let at = 0; at < postings.length; at += POSTING_BYTES) {
    if (places.has(placeAt(postings, at))) continue;
    kept.set(postings.subarray(at, at + POSTING_BYTES), length);
    length += POSTING_BYTES;
  }
  return kept.subarray(0, length);
}

/** The postings of several forms of a word as those of one: a document's frequencies are added up. */
export function mergedPostings(lists: readonly Uint8Array[]): Uint8Array {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  const found = new Map<number, { frequency: number; readonly length: number }>();
  for (const postings of lists) {
    for (let at = 0; at < postings.length; at += POSTING_BYTES) {
      const weight = postings[at + 2] as number;
      const frequency = FREQUENCY_STEPS[Math.floor(weight / LENGTH_STEPS.length)] as number;
      const known = found.get(placeAt(postings, at));
      if (known === undefined) found.set(placeAt(postings, at), { frequency, length: weight % LENGTH_STEPS.length });
      else known.frequency += frequency;
    }
  }
  const places = [...found].sort(([a], [b]) => a - b);
  return Uint8Array.from(
    places.flatMap(([place, { frequency, length }]) =>
      postingOf(place, frequencyStep(frequency) * LENGTH_STEPS.length + length),
    ),
  );
}

/** The bytes of a posting. */
export function postingOf(place: number, weight: number): readonly [low: number, high: number, weight: number] {
  return [place & 0xff, place >>> 8, weight];
}
