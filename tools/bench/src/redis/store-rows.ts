import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { RunOptions } from '../area.ts';
import type { Entry } from '../engines/engine.ts';
import { aimed, type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { makeTexts } from '../search/texts.ts';
import { quantile } from '../statistics.ts';

export interface StoreScale {
  readonly entries: number;
  readonly rounds: number;
  /** Searches and single puts of a round. */
  readonly aRound: number;
}

const BATCH = 500;
const P50: Target = { atMost: 10, unit: 'ms' };
const TIMES_SINGLE_PUTS: Target = { atLeast: 20 };
const TIMES_THE_TEXT: Target = { atMost: 3 };

/** Stores of many records, with turns and without, on a server of their own. */
export async function storeRows(scale: StoreScale, say: RunOptions['say']): Promise<Row[]> {
  const { entries, queries } = makeTexts(scale.entries);
  const texts = entries.map(({ content }): Entry => ({ content }));
  const plain = await measure('of texts', texts, queries, scale, say);
  const turns = await measure('of turns', entries, queries, scale, say);
  return [...plain, ...turns];
}

async function measure(
  what: string,
  entries: readonly Entry[],
  queries: readonly string[],
  scale: StoreScale,
  say: RunOptions['say'],
): Promise<Row[]> {
  const server = await startRedis({ own: true });
  const client = new Redis(server.url);
  try {
    say(`filling a RedisStore ${what}`);
    const store = new RedisStore({ client, name: 'bench' });
    const before = await usedMemory(client);
    await fill(store, entries);
    const bytes = (await usedMemory(client)) - before;
    say(`searching a RedisStore ${what}`);
    const searched = await search(store, queries, scale);
    const { singles, batched } = await putBothWays(store, entries, scale);
    const textBytes = entries.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    return [
      { measure: `RedisStore ${what}, search, p50`, ...aimed(searched.p50, P50) },
      { measure: `RedisStore ${what}, search, p99`, keepsake: searched.p99 },
      {
        measure: `RedisStore ${what}, putMany of ${BATCH} against single puts, a record`,
        raw: figure('put', 'µs', singles),
        keepsake: figure('putMany', 'µs', batched),
        ...judged(ratios(singles, batched), TIMES_SINGLE_PUTS),
      },
      {
        measure: `RedisStore ${what}, memory an entry, against its text`,
        raw: { name: 'text', unit: 'bytes', value: textBytes / entries.length },
        keepsake: { name: 'RedisStore', unit: 'bytes', value: bytes / entries.length },
        ...judged([bytes / textBytes], TIMES_THE_TEXT),
      },
    ];
  } finally {
    client.disconnect();
    await server.stop();
  }
}

async function fill(store: RedisStore, entries: readonly Entry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += BATCH) await store.putMany(entries.slice(from, from + BATCH));
}

/** Microseconds a record, round by round: each puts one by one, then a batch. */
async function putBothWays(store: RedisStore, entries: readonly Entry[], { rounds, aRound }: StoreScale) {
  const [singles, batched]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const from = (round * BATCH) % entries.length;
    const batch = entries.slice(from, from + BATCH);
    const start = performance.now();
    for (let put = 0; put < aRound; put++) await store.put(batch[put % batch.length] as Entry);
    const middle = performance.now();
    await store.putMany(batch);
    singles.push(((middle - start) * 1_000) / aRound);
    batched.push(((performance.now() - middle) * 1_000) / batch.length);
  }
  return { singles, batched };
}

async function search(
  store: RedisStore,
  queries: readonly string[],
  { rounds, aRound }: StoreScale,
): Promise<{ readonly p50: Figure; readonly p99: Figure }> {
  const all: number[] = [];
  const medians: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const each: number[] = [];
    for (let place = 0; place < aRound; place++) {
      const start = performance.now();
      await store.search(queries[(Math.max(round, 0) * aRound + place) % queries.length] as string, {
        maxSearchResults: 5,
      });
      each.push((performance.now() - start) * 1_000);
    }
    // The first round is to warm up.
    if (round === -1) continue;
    all.push(...each);
    medians.push(quantile(each, 0.5));
  }
  return {
    p50: { ...figure('RedisStore', 'µs', medians), value: quantile(all, 0.5) },
    p99: { name: 'RedisStore', unit: 'µs', value: quantile(all, 0.99) },
  };
}

/** In bytes; without what the server needs to run. */
async function usedMemory(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
}
