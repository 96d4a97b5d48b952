import type { Filter, RecordInput } from '@keepsake/core';
import { randomNumbers } from '../random.ts';

const VOCABULARY = 20_000;

/** Queries by how many records they match: ten records, 1 % of them, and 35 %. */
export const QUERIES = {
  rare: 'heliotrope',
  middle: 'zeppelin',
  common: 'marmalade rhubarb xylophone',
} as const;

/** Filters by the share of records that pass. */
export const FILTERS: Readonly<Record<string, Filter | undefined>> = {
  'no filter': undefined,
  '50 %': { half: true },
  '1 %': { hundredth: true },
  '0.01 %': { tenThousandth: true },
};

/** The fields of all filters. */
export const INDEXED = Object.values(FILTERS).flatMap((filter) => Object.keys(filter ?? {}));

/** The records from one number to below another, of 6 to 33 words each: the same for the same numbers. */
export function recordsOf(from: number, to: number, count: number): RecordInput[] {
  return Array.from({ length: to - from }, (_, index) => recordOf(from + index, count));
}

function recordOf(number: number, count: number): RecordInput {
  const random = randomNumbers(number);
  const among = (share: number) => random() < share;
  // Spread over all records, and independent of each other.
  const metadata = { half: among(0.5), hundredth: among(0.01), tenThousandth: number % 10_000 === 5_000 };
  const marks = [
    ...(number % Math.ceil(count / 10) === 7 ? [QUERIES.rare] : []),
    ...(among(0.01) ? [QUERIES.middle] : []),
    ...QUERIES.common.split(' ').filter((_, index) => among([0.2, 0.12, 0.08][index] as number)),
  ];
  const words = Array.from({ length: 6 + Math.floor(random() * 28) }, () => word(random()));
  return { id: `record-${number}`, content: [...marks, ...words].join(' '), metadata };
}

/** Few words are frequent and most are rare, as in natural language. */
function word(chance: number): string {
  return `w${Math.floor(VOCABULARY ** chance).toString(36)}o`;
}
