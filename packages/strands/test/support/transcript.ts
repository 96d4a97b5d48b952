import { rounds } from '@keepsake/testing/share';

/** 20 in a full run. */
export const MEGABYTES = rounds(20, 2);

/** A transcript whose every kilobyte tells its number. */
export function transcript(number: number): Uint8Array {
  return new Uint8Array(Buffer.alloc(MEGABYTES * 1_000_000, `transcript ${number}\n`.padEnd(1_000, '.')));
}
