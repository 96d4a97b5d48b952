import type { Embedder, RecordInput } from '@keepsake/core';
import { LogStore } from '@keepsake/search';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';
import { type MemoryLog, MemoryLogs } from './memory-logs.ts';

/** Enough for an index of some 15 pages of 32 KiB. */
const MANY = 2_400;
/** So little that a table keeps 3 pages between two steps. */
const TABLE_BYTES = 850_000;
const WORDS = ['heron', 'tern', 'gull', 'plover', 'avocet', 'dunlin', 'curlew', 'osprey'];

const embedder: Embedder = {
  id: 'letters',
  dimensions: 4,
  embed: async (texts) =>
    texts.map((text) => Float32Array.from([0, 1, 2, 3], (n) => 1 + (text.charCodeAt(n % text.length) % (7 + n)))),
};

function inputs(count: number, random: () => number, from = 0): RecordInput[] {
  const word = () => WORDS[Math.floor(random() * WORDS.length)];
  return Array.from({ length: count }, (_, n) => ({
    id: `record-${from + n}-${'x'.repeat(40)}`,
    content: `${word()} ${word()} w${Math.floor(random() * 3_000)} v${from + n}`,
    metadata: { color: `${Math.floor(random() * 40)}`, n: from + n },
  }));
}

/** A log of which only the last page of a saved index is read with it. */
function pagedLogs(): { readonly logs: MemoryLogs; readonly log: MemoryLog } {
  const logs = new MemoryLogs();
  const log = logs.open([]);
  log.lastPages = 1;
  return { logs, log };
}

const settled = (store: LogStore) => store.within([]).close();

const QUERIES = ['heron w7', 'v2300 tern', 'gull plover w100 w200 w300', 'dunlin', 'v17 v1800 v2399'];

async function expectSame(store: LogStore, memory: InMemoryStore): Promise<void> {
  for (const query of QUERIES) {
    for (const filter of [undefined, { color: '7' }, { n: { lt: 900 } }]) {
      const options = { maxSearchResults: 12, ...(filter && { filter }) };
      const [found, expected] = await Promise.all([store.search(query, options), memory.search(query, options)]);
      const scores = ({ id, score }: { readonly id?: string | undefined; readonly score?: number | undefined }) => [
        id,
        score,
      ];
      expect(found.map(scores), query).toEqual(expected.map(scores));
    }
  }
  const ids = async (one: LogStore | InMemoryStore) =>
    (await one.list({ filter: { color: '11' }, limit: 30 })).items.map(({ id }) => id);
  expect(await ids(store)).toEqual(await ids(memory));
}

describe.each([
  ['by words', {}],
  ['with an embedder and an index of fields', { embedder, indexed: ['color'] }],
])('a table whose index is loaded in pages, %s', (_, options) => {
  it('finds the same as one in memory, while others change records and replace the index', async () => {
    const { logs, log } = pagedLogs();
    const given = { name: 'memory', tableBytes: TABLE_BYTES, ...options };
    const [store, other] = [new LogStore(given, logs), new LogStore(given, logs)];
    const memory = new InMemoryStore({ name: 'memory', ...options });
    const random = mulberry32(7);
    const put = async (records: readonly RecordInput[]) => {
      await other.putMany(records);
      await memory.putMany(records);
    };
    await put(inputs(MANY, random));
    await other.search('heron');
    await settled(other);
    expect(log.indexes.size).toBe(1);
    for (let round = 0; round < 8; round++) {
      await expectSame(store, memory);
      const [first, ...gone] = Array.from({ length: 40 }, () => Math.floor(random() * MANY));
      await put(inputs(60, random, first as number));
      await put(inputs(30, random, MANY + round * 100));
      for (const n of gone) {
        const id = `record-${n}-${'x'.repeat(40)}`;
        await Promise.all([other.delete(id), memory.delete(id)]);
      }
      if (round % 2 === 0) continue;
      // The former index is gone.
      await put(inputs(260, random, 500 + round * 10));
      await other.search('tern');
      await settled(other);
    }
    await expectSame(store, memory);
    expect(log.pageCount).toBeGreaterThan(20);
  });
});

describe('an index that is loaded in pages', () => {
  async function saved() {
    const { logs, log } = pagedLogs();
    const store = new LogStore({ name: 'memory' }, logs);
    const memory = new InMemoryStore({ name: 'memory' });
    const records = inputs(MANY, mulberry32(5));
    for (const one of [store, memory]) await one.putMany(records);
    await store.search('heron');
    await settled(store);
    const pages = [...log.indexes.values()][0]?.written as Uint8Array[];
    log.calls.length = 0;
    log.changeCount = 0;
    return { logs, log, memory, pages, open: () => new LogStore({ name: 'memory', tableBytes: TABLE_BYTES }, logs) };
  }

  it('is read in part, and in few calls', async () => {
    const { logs, log, pages, memory } = await saved();
    expect(pages.length).toBeGreaterThan(8);
    const store = new LogStore({ name: 'memory' }, logs);
    const found = await store.search('v17 v18');
    expect(found.map(({ id }) => id)).toEqual((await memory.search('v17 v18')).map(({ id }) => id));
    expect(log.pageCount).toBeLessThan(pages.length);
    expect(log.changeCount).toBe(0);
    expect(log.calls.filter((call) => call === 'readPages').length).toBeLessThanOrEqual(4);
  });

  it('of which a page is damaged is made again from the log', async () => {
    for (const page of [0, 1, 2, 5, 7]) {
      const { open, pages, memory, log } = await saved();
      pages[page] = undefined as never;
      await expectSame(open(), memory);
      expect(log.changeCount, `page ${page}`).toBeOneOf([0, MANY]);
    }
  });

  it('of which a page is cut short is made again from the log', async () => {
    const { open, pages, memory, log } = await saved();
    for (const page of pages.keys()) pages[page] = (pages[page] as Uint8Array).subarray(0, 20_000);
    await expectSame(open(), memory);
    expect(log.changeCount).toBe(MANY);
  });

  it('gives the error of a page that can not be read now, and goes on afterwards', async () => {
    const { open, log, memory } = await saved();
    const store = open();
    log.before = (call) => {
      if (call === 'readPages') throw new Error('The connection was lost.');
    };
    await expect(store.search('v17')).rejects.toThrow('The connection was lost.');
    log.before = () => {};
    await expectSame(store, memory);
    expect(log.changeCount).toBe(0);
  });

  it('is searched by many at once', async () => {
    const { open, memory } = await saved();
    const store = open();
    await Promise.all(Array.from({ length: 10 }, () => expectSame(store, memory)));
  });

  it('lets records go that have been removed, until their numbers are used again', async () => {
    const { open, memory } = await saved();
    const store = open();
    const ids = inputs(MANY, mulberry32(5)).map(({ id }) => id as string);
    const most = ids.slice(0, 1_900);
    for (const one of [store, memory]) for (const id of most) await one.delete(id);
    await expectSame(store, memory);
    const records = inputs(200, mulberry32(9), 10_000);
    for (const one of [store, memory]) await one.putMany(records);
    await expectSame(store, memory);
  });
});
