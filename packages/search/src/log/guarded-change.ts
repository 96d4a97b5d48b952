import type { MemoryRecord } from '@keepsake/core';
import type { DecideChanges, LogChange, LoggedRecord } from './record-log.ts';

/** A time that no record has: it tells what a change leaves to the clock of the backend. */
const NEVER = new Date(-8.64e15);

/** The last change of a record among those of a call, for a backend that checks that the record is still as it was. */
export interface GuardedChange {
  readonly id: string;
  /** The number of the last change of the record that must be there; `undefined` if there must be none. */
  readonly guard: number | undefined;
  /** Its place among all changes of the call, from 1. */
  readonly place: number;
  /** The record; `undefined` for its deletion. Its times don't count, but those below. */
  readonly put?: MemoryRecord | undefined;
  readonly vector?: Float32Array | undefined;
  /** The number of the change that created the record; `undefined` if it is one of these. */
  readonly created?: number | undefined;
  /** Then the place of the change that creates it. */
  readonly placeCreated: number;
  /**
   * In milliseconds since 1970; `undefined` for the time of the change. The record was updated at the later one of this and the
   * time of the change.
   */
  readonly createdMs?: number | undefined;
  /** When it expires, in milliseconds from the time of the change. */
  readonly ttlMs?: number | undefined;
}

/**
 * The time at which the changes were made, or, if a guard did not hold, all records that are there with the ids of the changes.
 */
export type GuardedResult = { readonly now: Date } | { readonly known: readonly LoggedRecord[] };

/**
 * Makes changes in a backend that can't keep others from changing records between two calls: decides again as long as other
 * records are there than those that the decision was about.
 *
 * @param read - Reads the records that the decision is about.
 * @param make - Makes all changes in one atomic step, or none if a guard does not hold.
 */
export async function changeGuarded(
  decide: DecideChanges,
  read: () => Promise<readonly LoggedRecord[]>,
  make: (changes: readonly GuardedChange[]) => Promise<GuardedResult>,
): Promise<void> {
  // Assumes that there are no such records, which the guards check, unless that leaves nothing to change.
  let known = mayBeNew(decide) ? [] : await read();
  for (;;) {
    const made = decide(new Map(known.map(({ record }) => [record.id, record])));
    const changes = made(NEVER);
    if (changes.length === 0) return;
    const result = await make(guarded(changes, known));
    if ('now' in result) {
      made(result.now);
      return;
    }
    known = result.known;
  }
}

/** Whether a change can be decided as if there were no records. */
function mayBeNew(decide: DecideChanges): boolean {
  try {
    return decide(new Map())(NEVER).length > 0;
  } catch {
    return false;
  }
}

/** The last change of each record, in their order. */
function guarded(changes: readonly LogChange[], known: readonly LoggedRecord[]): GuardedChange[] {
  const before = new Map(known.map((one) => [one.record.id, one]));
  const latest = new Map<string, GuardedChange>();
  for (const [index, change] of changes.entries()) {
    const id = 'put' in change ? change.put.id : change.delete;
    const place = index + 1;
    const placeCreated = latest.get(id)?.placeCreated ?? place;
    latest.delete(id);
    const { change: guard, created } = before.get(id) ?? {};
    latest.set(id, { id, guard, created, place, placeCreated, ...('put' in change && putOf(change)) });
  }
  return [...latest.values()];
}

function putOf({ put, vector }: Extract<LogChange, { readonly put: MemoryRecord }>) {
  const createdMs = Date.parse(put.createdAt);
  const ttlMs = put.expiresAt === undefined ? undefined : Date.parse(put.expiresAt) - NEVER.getTime();
  return { put, vector, createdMs: createdMs === NEVER.getTime() ? undefined : createdMs, ttlMs };
}
