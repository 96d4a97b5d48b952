import type { MemoryRecord } from '@keepsake/core';
import type { DecideChanges, LogChange, LoggedRecord } from './record-log.ts';
import type { SeenInNamespace } from './seen-records.ts';

/** A time that no record has: it tells what a change leaves to the clock of the backend. */
const NEVER = new Date(-8.64e15);

/** The last change of a record among those of a call, for a backend that checks that the record is still as it was. */
export interface GuardedChange {
  readonly id: string;
  /**
   * The last change of the record that must be there; `undefined` if there must be none. Its time is in milliseconds since 1970.
   */
  readonly guard: (Pick<LoggedRecord, 'change' | 'writer'> & { readonly updatedMs: number }) | undefined;
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
 * The time at which the changes were made, the number of the last change before them, and their writer, if the backend tells it;
 * or, if a guard did not hold, all records that are there with the ids of the changes.
 */
export type GuardedResult =
  | { readonly now: Date; readonly before?: number | undefined; readonly writer?: string | undefined }
  | { readonly known: readonly LoggedRecord[] };

/** How to change records of a namespace in a backend. */
export interface GuardedLog {
  readonly seen: SeenInNamespace;
  read(ids: readonly string[]): Promise<readonly LoggedRecord[]>;
  /** Makes all changes in one atomic step, or none if a guard does not hold. */
  make(changes: readonly GuardedChange[]): Promise<GuardedResult>;
}

/**
 * Makes changes in a backend that can't keep others from changing records between two calls: decides again as long as other
 * records are there than those that the decision was about.
 */
export async function changeGuarded(
  { seen, read, make }: GuardedLog,
  ids: readonly string[],
  decide: DecideChanges,
): Promise<void> {
  // Assumes that the records are as seen last, which the guards check, unless that leaves nothing to change.
  let decision = guessed(seen.get(ids), decide) ?? decided(await read(ids), decide);
  while (decision.changes.length > 0) {
    const guardedChanges = guarded(decision.changes, decision.records);
    const result = await make(guardedChanges);
    if ('now' in result) {
      seen.set(ids, recordsOf(decision.made(result.now), guardedChanges, result));
      return;
    }
    decision = decided(result.known, decide);
  }
}

/** What to change if these records are there. */
interface Decision {
  readonly records: readonly LoggedRecord[];
  readonly made: ReturnType<DecideChanges>;
  readonly changes: readonly LogChange[];
}

function decided(records: readonly LoggedRecord[], decide: DecideChanges): Decision {
  const made = decide(new Map(records.map(({ record }) => [record.id, record])));
  return { records, made, changes: made(NEVER) };
}

/** `undefined` if there is nothing to change, or that must not be changed, if the guess is right. */
function guessed(guess: readonly LoggedRecord[], decide: DecideChanges): Decision | undefined {
  try {
    const decision = decided(guess, decide);
    return decision.changes.length > 0 ? decision : undefined;
  } catch {
    return undefined;
  }
}

/** The records that changes have put, if their numbers are known. */
function recordsOf(
  changes: readonly LogChange[],
  guardedChanges: readonly GuardedChange[],
  { before, writer }: Extract<GuardedResult, { readonly now: Date }>,
): LoggedRecord[] {
  if (before === undefined) return [];
  return guardedChanges.flatMap(({ place, placeCreated, created = before + placeCreated }) => {
    const change = changes[place - 1] as LogChange;
    return 'put' in change ? { record: change.put, change: before + place, created, writer } : [];
  });
}

/** The last change of each record, in their order. */
function guarded(changes: readonly LogChange[], records: readonly LoggedRecord[]): GuardedChange[] {
  const before = new Map(records.map((one) => [one.record.id, one]));
  const latest = new Map<string, GuardedChange>();
  for (const [index, change] of changes.entries()) {
    const id = 'put' in change ? change.put.id : change.delete;
    const place = index + 1;
    const placeCreated = latest.get(id)?.placeCreated ?? place;
    latest.delete(id);
    const entry = before.get(id);
    const updatedMs = Date.parse(entry?.record.updatedAt ?? '');
    const guard = entry && { change: entry.change, writer: entry.writer, updatedMs };
    latest.set(id, { id, guard, created: entry?.created, place, placeCreated, ...('put' in change && putOf(change)) });
  }
  return [...latest.values()];
}

function putOf({ put, vector }: Extract<LogChange, { readonly put: MemoryRecord }>) {
  const createdMs = Date.parse(put.createdAt);
  const ttlMs = put.expiresAt === undefined ? undefined : Date.parse(put.expiresAt) - NEVER.getTime();
  return { put, vector, createdMs: createdMs === NEVER.getTime() ? undefined : createdMs, ttlMs };
}
