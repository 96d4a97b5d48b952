import { rounds } from '@keepsake/testing/share';

/** 20 in a full run. */
export const MEGABYTES = rounds(20, 4);

/** A value of that many megabytes of JSON, which only this number makes. */
export function hugeValue(number: number): string[] {
  return Array.from({ length: MEGABYTES * 10 }, (_, line) => `${number}:${line} `.repeat(20_000).slice(0, 100_000));
}
