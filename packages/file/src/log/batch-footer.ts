import type { Stretch } from '../disk/disk.ts';

/*
 * The last line of each batch of a session has a footer that points to the batch before it, so that a reader can walk a log
 * backwards, batch by batch. The writer of a batch held the lock and knew the newest batch, so torn and void batches are
 * never pointed to. On disk, the field is called `trail`.
 */

/** The totals of a session, without damaged items. */
export interface SessionTotals {
  readonly items: number;
  /** The length of their lines and of those of operations. */
  readonly bytes: number;
  /** When the session was created; missing before that. */
  readonly since?: string;
}

export const NOTHING: SessionTotals = { items: 0, bytes: 0 };

export interface BatchFooter extends SessionTotals {
  /** The offset of the first line of this batch. */
  readonly start: number;
  /** The byte range of the batch before; missing for the first batch of a log. */
  readonly back?: readonly [from: number, to: number];
  readonly since: string;
  /*
   * `items` and `bytes` are the totals after this batch, except that `bytes` leaves out the line with the footer.
   */
}

/** What a footer is made from. */
export interface FooterInput {
  /** The totals after the other changes of the batch, before its items are appended. */
  readonly kept: SessionTotals;
  /** How many of its last lines are items. */
  readonly items: number;
  /** How many of its last lines are items or operations. */
  readonly live: number;
  /** The batch before it. */
  readonly back: Stretch | undefined;
}

/** The footer of a batch that begins at `start`, given the lengths of its lines except the last. */
export function footerOf(
  { kept, items, live, back }: FooterInput,
  start: number,
  lengths: readonly number[],
  at: string,
): BatchFooter {
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
