import type { ScriptArgument } from '../client/redis-client.ts';
import type { StoredRecord } from './stored-record.ts';

/* About how long the server takes: one for each term of a record. */

/** What a record takes beside its terms and its bytes. */
const RECORD_WORK = 10;
/** How many bytes take as long as a term. */
const BYTES_PER_WORK = 1_000;
/** How many characters of a text have a term. Few texts have more terms. */
const CHARACTERS_PER_TERM = 6;
/** Takes a server about 6 ms, and up to 20 ms if it splits terms. A single record can take more. */
export const SLICE_WORK = 1_500;

/** The work to store a record, by what `describeDocument` returned and the size of all else. */
export function workOf([, , , terms]: readonly ScriptArgument[], bytes: number): number {
  const text = String(terms);
  let work = RECORD_WORK + 1 + Math.ceil((text.length + bytes) / BYTES_PER_WORK);
  for (let at = text.indexOf('\0'); at >= 0; at = text.indexOf('\0', at + 1)) work++;
  return work;
}

/** The work to take a record out of the index. */
export function workToRemove(known: StoredRecord | undefined): number {
  if (known === undefined) return 0;
  const { length } = known.record.content;
  return RECORD_WORK + Math.ceil(length / BYTES_PER_WORK + (known.record.index ? length / CHARACTERS_PER_TERM : 0));
}

/** Splits a list where one script with all of it would keep the server from serving others. */
export function slicesOf<T>(list: readonly T[], work: (one: T) => number): T[][] {
  const slices: T[][] = [];
  let room = 0;
  for (const one of list) {
    const needed = work(one);
    if (needed > room) {
      slices.push([]);
      room = SLICE_WORK;
    }
    slices.at(-1)?.push(one);
    room -= needed;
  }
  return slices;
}
