import type { RecordStore } from '@keepsake/core';
import type { RunOptions } from '../area.ts';
import type { Entry } from '../engines/engine.ts';
import { aimed, type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { makeTexts } from '../search/texts.ts';
import { quantile } from '../statistics.ts';

export interface StoreScale {
  readonly entries: number;
  readonly rounds: number;
  /** The number of searches and of single puts per round. */
  readonly perRound: number;
}

/** The targets of the figures. Missing for rows without a target. */
export interface StoreTargets {
  readonly p50?: Target;
  readonly timesSinglePuts?: Target;
  readonly timesTheText?: Target;
}

/** A way to store records. */
export interface StoreKind {
  readonly name: string;
  /** Opens an empty store. */
  open(): Promise<OpenStore>;
}

interface OpenStore {
  readonly store: RecordStore;
  /** Bytes of memory for the records and everything that grows with them. Missing if it can't be measured. */
  usedMemory?(): Promise<number>;
  /** Runs background work of the database now. Missing if there is none. */
  settle?(): Promise<void>;
  close(): Promise<void>;
}

const BATCH = 500;

/** Fills and searches stores of many records, with and without turns. */
export async function storeRows(
  kind: StoreKind,
  scale: StoreScale,
  targets: StoreTargets,
  say: RunOptions['say'],
): Promise<Row[]> {
  const { entries, queries } = makeTexts(scale.entries);
  const texts = entries.map(({ content }): Entry => ({ content }));
  const measure = async (what: string, entries: readonly Entry[]) => {
    const opened = await kind.open();
    try {
      return await rowsOf(`${kind.name} ${what}`, opened, { entries, queries }, scale, targets, say);
    } finally {
      await opened.close();
    }
  };
  return [...(await measure('of texts', texts)), ...(await measure('of turns', entries))];
}

async function rowsOf(
  what: string,
  { store, usedMemory, settle }: OpenStore,
  { entries, queries }: { readonly entries: readonly Entry[]; readonly queries: readonly string[] },
  scale: StoreScale,
  targets: StoreTargets,
  say: RunOptions['say'],
): Promise<Row[]> {
  say(`filling a ${what}`);
  const before = await usedMemory?.();
  await fill(store, entries);
  const after = await usedMemory?.();
  await settle?.();
  say(`searching a ${what}`);
  const searched = await search(store, queries, scale);
  const { singles, batched } = await putBothWays(store, entries, scale);
  const rows: Row[] = [
    { measure: `${what}, search, p50`, ...aimed(searched.p50, targets.p50) },
    { measure: `${what}, search, p99`, keepsake: searched.p99 },
    {
      measure: `${what}, putMany of ${BATCH} vs. single puts, per record`,
      raw: figure('put', 'µs', singles),
      keepsake: figure('putMany', 'µs', batched),
      ...judged(ratios(singles, batched), targets.timesSinglePuts),
    },
  ];
  if (before === undefined || after === undefined) return rows;
  const bytes = after - before;
  const textBytes = entries.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  return [
    ...rows,
    {
      measure: `${what}, memory per entry, vs. its text`,
      raw: { name: 'text', unit: 'bytes', value: textBytes / entries.length },
      keepsake: { name: store.name, unit: 'bytes', value: bytes / entries.length },
      ...judged([bytes / textBytes], targets.timesTheText),
    },
  ];
}

async function fill(store: RecordStore, entries: readonly Entry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += BATCH) await store.putMany(entries.slice(from, from + BATCH));
}

/** Microseconds per record, by round: single puts, then a batch. */
export async function putBothWays(store: RecordStore, entries: readonly Entry[], { rounds, perRound }: StoreScale) {
  const [singles, batched]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const from = (round * BATCH) % entries.length;
    const batch = entries.slice(from, from + BATCH);
    const start = performance.now();
    for (let put = 0; put < perRound; put++) await store.put(batch[put % batch.length] as Entry);
    const middle = performance.now();
    await store.putMany(batch);
    singles.push(((middle - start) * 1_000) / perRound);
    batched.push(((performance.now() - middle) * 1_000) / batch.length);
  }
  return { singles, batched };
}

async function search(
  store: RecordStore,
  queries: readonly string[],
  { rounds, perRound }: StoreScale,
): Promise<{ readonly p50: Figure; readonly p99: Figure }> {
  const all: number[] = [];
  const medians: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const each: number[] = [];
    for (let place = 0; place < perRound; place++) {
      const start = performance.now();
      await store.search(queries[(Math.max(round, 0) * perRound + place) % queries.length] as string, {
        maxSearchResults: 5,
      });
      each.push((performance.now() - start) * 1_000);
    }
    // The first round is a warm-up.
    if (round === -1) continue;
    all.push(...each);
    medians.push(quantile(each, 0.5));
  }
  return {
    p50: { ...figure(store.name, 'µs', medians), value: quantile(all, 0.5) },
    p99: { name: store.name, unit: 'µs', value: quantile(all, 0.99) },
  };
}
