import type { Stretch } from '../disk/disk.ts';

/*
 * The last line of each batch of a session says what came before it, so that a reader can go from the end of a log
 * backwards, from batch to batch: whoever wrote a batch held the lock and knew which one was the newest then. Torn and
 * void batches are not on the trail.
 */

/** What a session holds, damaged items left out. */
export interface Holdings {
  readonly items: number;
  /** The length of their lines, and of those that hold operations. */
  readonly bytes: number;
  /** When the session came into being; missing as long as it has not. */
  readonly since?: string;
}

export const NOTHING: Holdings = { items: 0, bytes: 0 };

export interface Trail extends Holdings {
  /** Where the first line of this batch begins. */
  readonly start: number;
  /** Where the batch before stands, from its first line to its last; missing for the first batch of a log. */
  readonly back?: readonly [from: number, to: number];
  readonly since: string;
  /*
   * `items` and `bytes` tell of the session after this batch, except that `bytes` leaves out the line in which it stands.
   */
}

/** What a batch does to what a session holds. */
export interface Footing {
  /** What is held before the items of the batch are appended, and after its other changes. */
  readonly kept: Holdings;
  /** So many of its lines, the last ones, are items. */
  readonly items: number;
  /** So many of its lines, the last ones, are items or hold operations. */
  readonly live: number;
  /** The batch before it. */
  readonly back: Stretch | undefined;
}

/** The trail of a batch that begins at `start`, by the lengths of its lines but for the last one. */
export function trailOf(
  { kept, items, live, back }: Footing,
  start: number,
  lengths: readonly number[],
  at: string,
): Trail {
  const firstLive = lengths.length + 1 - live;
  const bytes = lengths.slice(firstLive).reduce((sum, length) => sum + length, kept.bytes);
  return {
    start,
    ...(back === undefined ? {} : { back: [back.offset, back.end] }),
    items: kept.items + items,
    bytes,
    since: kept.since ?? at,
  };
}
