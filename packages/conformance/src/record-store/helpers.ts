import assert from 'node:assert/strict';
import {
  isMemoryError,
  type ListOptions,
  type MemoryErrorCode,
  type MemoryRecord,
  type Namespace,
  type NamespaceInfo,
  type NamespaceListOptions,
  type RecordStore,
  type SearchOptions,
  type StoreCapabilities,
} from '@keepsake/core';
import type { Case, CaseGroup } from '../kit.ts';
import type { RecordStoreHarness } from './harness.ts';

export type RecordStoreCase = Case<RecordStoreHarness, StoreCapabilities>;
export type RecordStoreCases = CaseGroup<RecordStoreHarness, StoreCapabilities>;

/** Part of contents, metadata and queries. No error message may contain it. */
export const SECRET = 'sentinel4711';

/** More pages than this mean an endless loop. */
const MOST_PAGES = 500;

/** Passes if the call rejects with that code. A synchronous throw is not a rejection. */
export async function refuses(code: MemoryErrorCode, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error: unknown) => checkRefusal(error, code));
}

/** Passes if the call throws with that code. */
export function throwsAtOnce(code: MemoryErrorCode, call: () => unknown): void {
  assert.throws(call, (error: unknown) => checkRefusal(error, code));
}

function checkRefusal(error: unknown, code: MemoryErrorCode): true {
  assert.ok(isMemoryError(error, code), `Expected a MemoryError with the code ${code}, not ${String(error)}`);
  assert.notEqual(error.message.trim(), '', 'An error must say what to do');
  assert.ok(!error.message.includes(SECRET), 'An error message must not contain content, metadata or queries');
  return true;
}

/** All records of a list, from all its pages. */
export async function listAll(store: RecordStore, options: ListOptions = {}): Promise<MemoryRecord[]> {
  return walk((cursor) => store.list({ ...options, ...(cursor === undefined ? {} : { cursor }) }));
}

/** All namespaces below a store, from all pages. */
export async function allNamespaces(
  store: RecordStore,
  limit?: number,
  which: Pick<NamespaceListOptions, 'segment' | 'notBelow'> = {},
): Promise<NamespaceInfo[]> {
  return walk((cursor) =>
    store.namespaces({
      ...which,
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
}

async function walk<T>(
  page: (cursor: string | undefined) => Promise<{ readonly items: readonly T[]; readonly cursor?: string }>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { items: more, cursor: next } = await page(cursor);
    items.push(...more);
    if (next === undefined) return items;
    cursor = next;
  }
  return assert.fail(`The list did not end within ${MOST_PAGES} pages`);
}

/** The ids that a search finds, best first. */
export async function foundIds(store: RecordStore, query: string, options?: SearchOptions): Promise<string[]> {
  return (await store.search(query, options)).map(({ id }) => id ?? assert.fail('An entry of a record has an id'));
}

/** The sorted ids of all records of a store. Uses search if it can't list, so contents must contain "heron". */
export async function heldIds(store: RecordStore, capabilities: StoreCapabilities): Promise<string[]> {
  if (capabilities.enumerate) return (await listAll(store)).map(({ id }) => id).sort();
  return (await foundIds(store, 'heron', { maxSearchResults: 1_000 })).sort();
}

/** The counts of the namespaces below a store, keyed by the path from there. */
export async function countsBelow(store: RecordStore, limit?: number): Promise<Map<string, number>> {
  const infos = await allNamespaces(store, limit);
  const counts = new Map(infos.map((info) => [keyBelow(store, info.namespace), info.recordCount]));
  assert.equal(counts.size, infos.length, 'A namespace was listed twice');
  return counts;
}

function keyBelow(store: RecordStore, namespace: Namespace): string {
  const depth = store.namespace.length;
  assert.deepEqual(namespace.slice(0, depth), [...store.namespace], 'A namespace is listed by its whole path');
  return JSON.stringify(namespace.slice(depth));
}

/** Adds a condition to each of several cases. */
export function onlyWhere(
  when: (capabilities: StoreCapabilities) => boolean,
  cases: readonly RecordStoreCase[],
): RecordStoreCase[] {
  return cases.map((one) => ({
    ...one,
    when: (capabilities) => when(capabilities) && (one.when?.(capabilities) ?? true),
  }));
}

/** The numbers from 0 to `count` - 1. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
