import type { RecordStore } from '@keepsake/core';

const BATCH = 500;
const WORDS =
  'aisle alpine amber anchor apple april arch arrow atlas autumn bakery bamboo basil beacon birch blanket'.split(' ');

/** Writes as many records as a measurement needs: `r0`, `r1` and so on, each with a text of ten words. */
export async function writeManyRecords(store: RecordStore, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    await store.putMany(Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => recordOf(from + index)));
  }
}

function recordOf(number: number) {
  const words = Array.from({ length: 8 }, (_, at) => WORDS[(number * (at + 3) + at * at) % WORDS.length]);
  return { id: `r${number}`, content: `note ${number} ${words.join(' ')}`, metadata: { kind: number % 10 } };
}
