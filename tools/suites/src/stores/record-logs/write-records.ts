import { setTimeout } from 'node:timers/promises';
import type { MemoryRecord } from '@keepsake/core';
import { revisedRecord } from '@keepsake/core/adapter';
import type { LogChange, RecordLog } from '@keepsake/search';

/** More than one part of changes, and more than is read at once. */
export const MANY = 1_200;
/** More expired records than a change removes beside its own, so that some stay in the backend. */
export const MANY_EXPIRED = 100;

export interface PutRecords {
  /** @default the id */
  readonly content?: string;
  /** With 0, a record has expired when it is put. */
  readonly ttlMs?: number;
  readonly vector?: Float32Array;
}

/** The ids `<prefix>0`, `<prefix>1` and so on. */
export function ids(prefix: string, count = MANY): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`);
}

/** Puts records in one change, in this order. An id can occur several times. */
export function put(log: RecordLog, list: readonly string[], options: PutRecords = {}): Promise<void> {
  return log.change([...new Set(list)], (known) => (now) => puts(list, known, now, options));
}

/** The changes that put records, as a store makes them. */
export function puts(
  list: readonly string[],
  known: ReadonlyMap<string, MemoryRecord>,
  now: Date,
  { content, ttlMs, vector }: PutRecords = {},
): LogChange[] {
  const latest = new Map(known);
  return list.map((id) => {
    const input = { id, content: content ?? id, metadata: {}, createdAt: undefined, ttlMs, turn: undefined };
    const record = revisedRecord({ ...input, source: undefined, index: true }, latest.get(id), now, 1);
    latest.set(id, record);
    return { put: record, vector };
  });
}

/** Deletes those of the records that are there, in one change. */
export function remove(log: RecordLog, list: readonly string[]): Promise<void> {
  return log.change(list, (known) => () => list.filter((id) => known.has(id)).map((id) => ({ delete: id })));
}

/** Puts records that are there at first and expire, and waits until they have. */
export async function putExpiring(log: RecordLog, list: readonly string[]): Promise<void> {
  await put(log, list, { ttlMs: 1 });
  const limit = Date.now() + 10_000;
  while ((await log.read(list)).length > 0) {
    if (Date.now() > limit) throw new Error('The records are still there 10 s after they expired.');
    await setTimeout(2);
  }
}

/** Lets the event loop turn, so that other calls of this process go on. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
