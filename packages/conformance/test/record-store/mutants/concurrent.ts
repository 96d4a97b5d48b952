import type { MemoryEntry, RecordStore } from '@keepsake/core';
import { common, instead, type Mutant, type Mutants } from './mutant.ts';

/* Faults that show only while several callers use a store. */

function pause(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Remembers the first version that an instance got of a record. */
const cachesRecords: Mutant = instead('get', (real) => {
  const cache = new Map<string, Awaited<ReturnType<RecordStore['get']>>>();
  return async (id) => {
    if (!cache.has(id)) cache.set(id, await real(id));
    return cache.get(id);
  };
});

/** Finds ids and fetches their records later. */
const findsAndFetches: Mutant = instead('search', (real, store) => async (query, options) => {
  const found = await real(query, options);
  await pause();
  const fetched = await Promise.all(found.map(({ id = '' }) => store.get(id)));
  return fetched.filter((record) => record !== undefined) as MemoryEntry[];
});

/** Searches what the index held a moment ago. */
const indexesLater: Mutant = instead('search', (real) => {
  let before: Promise<MemoryEntry[]> | undefined;
  return async (query, options) => {
    const current = real(query, options);
    const answer = before ?? current;
    before = current;
    return answer;
  };
});

const listsInSteps: Mutant = instead('list', (real, store) => async (options) => {
  const page = await real(options);
  const items = [];
  for (const { id } of page.items) items.push(await store.get(id));
  return { ...page, items: items.filter((record) => record !== undefined) };
});

const clearsInSteps: Mutant = instead('clear', (_, store) => async () => {
  const { items } = await store.list();
  for (const { id } of items) await store.delete(id);
  return items.length;
});

/** Confirms a deletion before it is made. */
const deletesLater: Mutant = instead('delete', (real, store) => async (id) => {
  const known = await store.get(id);
  if (known !== undefined) void pause(1).then(() => real(id));
  return known !== undefined;
});

/** Checks the version in a step of its own. */
const checksTooEarly: Mutant = instead('put', (real, store) => async (input, options = {}) => {
  const { ifVersion, ...others } = options;
  const version = (await store.get(input.id ?? ''))?.version ?? 0;
  return real(input, ifVersion === version ? others : options);
});

const ignoresVersions: Mutant = instead('put', (real) => (input) => real(input));

/** Confirms a put before it is made. */
const putsLater: Mutant = instead('put', (real, store) => async (input, options) => {
  const known = await store.get(input.id ?? '');
  if (options?.ifVersion !== undefined) return real(input, options);
  void pause(1).then(() => real(input));
  return { ...(await real({ ...input, id: `${input.id} later` })), version: (known?.version ?? 0) + 1 };
});

/** Faults of concurrent calls by name. Each must be caught. */
export const linearizabilityMutants: Readonly<Record<string, Mutant>> = {
  'reads before it waits, and writes after': common.racy,
  cachesRecords,
  findsAndFetches,
  indexesLater,
  'puts a batch record by record': common.oneByOne,
  listsInSteps,
  clearsInSteps,
  deletesLater,
  checksTooEarly,
  ignoresVersions,
  putsLater,
};

export const concurrentMutants: Mutants = {
  'the results of concurrent callers are those of some order of their calls, searches included': findsAndFetches,
};
