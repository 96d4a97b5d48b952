import { setImmediate as turn } from 'node:timers/promises';
import type { Filter, RecordStore } from '@keepsake/core';
import { median } from '../statistics.ts';
import type { OpenBackend, PingedServer } from './backend.ts';
import { FILTERS, QUERIES, recordsOf } from './records.ts';
import { withStops } from './stops.ts';

/** A measured time in microseconds, by what was measured. */
export type Times = Record<string, number>;

const BATCH = 500;
const PAGE = 20;
/** At most this many calls, and at most this long, for one figure. */
const MAX_CALLS = 40;
const MAX_MS = 2_000;

/** Puts all records, and returns the time for one. */
export async function write({ store, server }: OpenBackend, count: number): Promise<Times> {
  // The first call of a process may load a driver.
  await store.get('none');
  let ms = 0;
  const stops = await withStops(async () => {
    for (let from = 0; from < count; from += BATCH) {
      const batch = recordsOf(from, Math.min(from + BATCH, count), count);
      await turn();
      const start = performance.now();
      await store.putMany(batch);
      ms += performance.now() - start;
      // So that the stop is that of one call.
      await turn();
    }
  }, server);
  return { 'putMany of 500, a record': (ms * 1_000) / count, ...stopTimes('putMany of 500', stops) };
}

/** Searches and lists with each filter, and returns the median of each. */
export async function searchAndList({ store, server }: OpenBackend): Promise<Times> {
  // The first call of a process may have to load something.
  await store.search(QUERIES.rare);
  const times: Times = {};
  for (const [kind, query] of Object.entries(QUERIES)) {
    const calls = Object.entries(FILTERS).map(
      ([passing, filter]) => [`search, ${kind}, ${passing}`, () => search(store, query, filter)] as const,
    );
    Object.assign(times, await timed(`search, ${kind}`, calls, server));
  }
  const lists = Object.entries(FILTERS).map(
    ([passing, filter]) => [`list, ${passing}`, () => list(store, filter)] as const,
  );
  return { ...times, ...(await timed('list', lists, server)) };
}

async function search(store: RecordStore, query: string, filter: Filter | undefined): Promise<void> {
  const found = await store.search(query, { maxSearchResults: 5, filter });
  if (filter === undefined && found.length === 0) throw new Error(`Nothing was found for ${query}.`);
}

async function list(store: RecordStore, filter: Filter | undefined): Promise<void> {
  const { items } = await store.list({ limit: PAGE, filter });
  if (filter === undefined && items.length !== PAGE) throw new Error('A page of the list is incomplete.');
}

async function timed(
  what: string,
  calls: readonly (readonly [name: string, call: () => Promise<void>])[],
  pinged?: PingedServer,
): Promise<Times> {
  const times: Times = {};
  const stops = await withStops(async () => {
    for (const [name, call] of calls) times[name] = await medianOf(call);
  }, pinged);
  return { ...times, ...stopTimes(what, stops) };
}

async function medianOf(call: () => Promise<void>): Promise<number> {
  const us: number[] = [];
  // The first filter by a field has the records indexed by it.
  await call();
  const begin = performance.now();
  while (us.length < MAX_CALLS && performance.now() - begin < MAX_MS) {
    const start = performance.now();
    await call();
    us.push((performance.now() - start) * 1_000);
    await turn();
  }
  return median(us);
}

/** The first search of a process, and the memory that the process took. */
export async function firstSearch(open: () => Promise<OpenBackend>): Promise<Times> {
  let us = 0;
  const stops = await withStops(async () => {
    const start = performance.now();
    const { store } = await open();
    await search(store, QUERIES.rare, undefined);
    us = (performance.now() - start) * 1_000;
  });
  return { [`${FIRST}, new process`]: us, ...stopTimes(FIRST, stops), [`${FIRST}, memory`]: peakMemory() };
}

const FIRST = 'open and search once';

/** Compacts a store that another process wrote; nothing if it never needs that. */
export async function compaction(open: () => Promise<OpenBackend>): Promise<Times> {
  const { store, close } = await open();
  if (store.compact === undefined) return {};
  let us = 0;
  const stops = await withStops(async () => {
    const start = performance.now();
    await store.compact?.();
    us = (performance.now() - start) * 1_000;
  });
  await close();
  return { compact: us, ...stopTimes('compact', stops), 'compact, memory': peakMemory() };
}

/** The largest resident set of this process so far, in bytes. */
function peakMemory(): number {
  return process.resourceUsage().maxRSS * 1024;
}

function stopTimes(what: string, { process, server }: Awaited<ReturnType<typeof withStops>>): Times {
  return {
    [`${what}, longest stop`]: process,
    ...(server === undefined ? {} : { [`${what}, longest stop of the server`]: server }),
  };
}
