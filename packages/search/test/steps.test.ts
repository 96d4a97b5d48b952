import type { RecordInput } from '@keepsake/core';
import { indexedFields, parseFilter } from '@keepsake/core/adapter';
import {
  EmbeddedStore,
  type PlaceFormat,
  type RecordPlace,
  type RecordSpace,
  RecordTable,
  type StoredRecord,
  type TableSearch,
} from '@keepsake/search';
import { describe, expect, it } from 'vitest';
import { ListSteps } from '../src/records/list-steps.ts';
import { SearchSteps } from '../src/records/search-steps.ts';
import { inMemory } from '../src/snapshot/stored-bytes.ts';

/** A space of one namespace whose records are slow to read. */
class SlowSpace implements RecordSpace, RecordPlace {
  readonly durable = false;
  readonly shared = false;
  reads = 0;
  readonly table = new RecordTable({
    read: (record: StoredRecord) => {
      this.reads++;
      for (const end = performance.now() + 0.5; performance.now() < end; );
      return record;
    },
  });

  open = () => this;
  namespacesBelow = async () => [];
  nextNamespaces = async () => [];
  clear = async () => 0;

  async read<T>(use: (table: RecordTable) => T): Promise<T> {
    return use(this.table);
  }

  async change(decide: Parameters<RecordPlace['change']>[0]): Promise<void> {
    for (const change of decide(this.table)) {
      if ('put' in change) this.table.put(change.put, change.put);
      else this.table.delete(change.delete);
    }
  }
}

const COUNT = 400;

async function filled() {
  const space = new SlowSpace();
  const store = new EmbeddedStore({ name: 'slow' }, space);
  await store.putMany(
    Array.from(
      { length: COUNT },
      (_, n): RecordInput => ({ id: `record ${n}`, content: `apple number${n}`, metadata: { n } }),
    ),
  );
  space.reads = 0;
  return { space, store };
}

/** Calls `act` when timers fire, however long that takes. */
function atNextTimer(act: () => void): void {
  setTimeout(act, 1);
}

describe('a filter that few records pass', () => {
  it('does not keep a search from being aborted', async () => {
    const { space, store } = await filled();
    const aborter = new AbortController();
    atNextTimer(() => aborter.abort());

    await expect(store.search('apple', { filter: { n: -1 }, signal: aborter.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(space.reads).toBeLessThan(COUNT / 2);
  });

  it('does not keep a search with descendants from being aborted', async () => {
    const { space, store } = await filled();
    const aborter = new AbortController();
    atNextTimer(() => aborter.abort());

    const search = store.search('apple', { filter: { n: -1 }, descendants: true, signal: aborter.signal });
    await expect(search).rejects.toMatchObject({ code: 'ABORTED' });
    expect(space.reads).toBeLessThan(COUNT / 2);
  });

  it('does not keep timers from firing while records are listed', async () => {
    const { space, store } = await filled();
    let readsThen = Infinity;
    atNextTimer(() => {
      readsThen = space.reads;
    });

    expect(await store.list({ filter: { n: 0 }, limit: 10 })).toMatchObject({ items: [{ id: 'record 0' }] });
    expect(readsThen).toBeLessThan(COUNT / 2);
  });

  it('finds the same in many steps as in one', () => {
    const table = new RecordTable({ read: (record: StoredRecord) => record });
    for (let n = 1; n <= 5_000; n++) table.put(recordOf(n), recordOf(n));
    for (const modulus of [2, 7, 100, 4_999, 10_000]) {
      const rules = parseFilter({ modulus: { gte: 0 }, [`by ${modulus}`]: 0 });
      const search = { query: 'apple pear seven', limit: 10, rules };
      let steps = 1;
      const filter = new SearchSteps(0);
      let found = table.searchStep(search, filter);
      for (; found === undefined; steps++) found = table.searchStep(search, filter);

      expect(found).toEqual(table.search(search));
      if (modulus >= 100) expect(steps).toBeGreaterThan(5);
    }
  });

  it('does not keep timers from firing while many searches run at once', async () => {
    const { store } = await filled();
    let [found, foundThen] = [0, Infinity];
    atNextTimer(() => {
      foundThen = found;
    });
    const search = async () => {
      await store.search('number1 number2 number3 number4', { filter: { n: { gt: 1 } } });
      found++;
    };
    await Promise.all(Array.from({ length: 20 }, search));
    expect(foundThen).toBeLessThan(10);
  });

  it('returns the memory of the searches that it keeps from ending', async () => {
    const { store } = await filled();
    for (let n = 0; n < 10; n++) {
      const aborter = new AbortController();
      atNextTimer(() => aborter.abort());
      const search = store.search('apple', { filter: { n: -1 }, signal: aborter.signal });
      await expect(search).rejects.toMatchObject({ code: 'ABORTED' });
    }
    expect(await store.search('number1 number2', { filter: { n: { gt: 1 } } })).toHaveLength(1);
  });

  it('lists the same in many steps as in one', () => {
    const table = new RecordTable({ read: (record: StoredRecord) => record });
    for (let n = 1; n <= 1_000; n++) table.put(recordOf(n), recordOf(n));
    for (const order of ['newest', 'oldest'] as const) {
      for (const limit of [3, 10]) {
        const options = { order, limit, rules: parseFilter({ 'by 100': 0 }) };
        const list = new ListSteps(0);
        let page = table.listStep(options, list);
        for (; page === undefined; ) page = table.listStep(options, list);

        expect(page).toEqual(table.list(options));
      }
    }
  });
});

/** More than a search ranks without finding the best of them first, and than a list in a snapshot has in one piece. */
const MANY = 17_000;

describe('a search for common words', () => {
  const table = new RecordTable({
    read: (record: StoredRecord) => record,
    indexed: indexedFields(['by 7']),
  });
  for (let n = 1; n <= MANY; n++) {
    const speaker = n % 3 === 0 ? 'Anna' : 'Bert';
    const record = { ...recordOf(n), createdAt: new Date(Date.UTC(2023, 0, n % 365)).toISOString() };
    const turn = { thread: `thread ${Math.floor(n / 100)}`, index: n, speaker };
    const put = n % 5 === 0 ? record : { ...record, turn };
    table.put(put, put);
  }
  const run = (search: TableSearch) => {
    const steps = new SearchSteps(0);
    for (let count = 1; ; count++) {
      const found = table.searchStep(search, steps);
      if (found !== undefined) return { found, count };
    }
  };

  it('finds the same in many steps as in one', () => {
    for (const query of ['apple', 'pear seven', 'What did Anna say about apples in March 2023?', 'nothing']) {
      for (const filter of [{}, { 'by 2': 0 }, { 'by 7': 3 }, { 'by 100': 42 }, { 'by 7': 3, 'by 100': 1 }]) {
        const search = { query, limit: 10, rules: parseFilter(filter), explain: true };
        const { found, count } = run(search);
        expect(found).toEqual(table.search(search));
        expect(count).toBeGreaterThan(1);
      }
    }
  });

  it('finds each of the records once that are replaced in between', () => {
    const search = { query: 'rhubarb', limit: 100, rules: [] };
    const put = (n: number) => {
      const record = { ...recordOf(n), content: `rhubarb and ${'apple '.repeat(n % 3)}` };
      table.put(record, record);
    };
    for (let n = 1; n <= MANY; n += 340) put(n);
    const steps = new SearchSteps(0);
    let found: ReturnType<typeof table.searchStep>;
    for (let n = 1; found === undefined; n += 340) {
      if (n < MANY) put(n);
      found = table.searchStep(search, steps);
    }
    const ids = found.map(({ id }) => id);
    expect(new Set(ids).size).toBe(50);
    expect(ids).toHaveLength(50);
  });

  it('waits while as many others have begun as there is memory for', () => {
    const search = { query: 'apple', limit: 10, rules: [] };
    const running = Array.from({ length: 10 }, () => new SearchSteps(0));
    for (const steps of running) expect(table.searchStep(search, steps)).toBeUndefined();
    const expected = table.search(search);
    const found = new Set<SearchSteps>();
    while (found.size < running.length) {
      for (const steps of running.filter((one) => !found.has(one))) {
        const entries = table.searchStep(search, steps);
        if (entries === undefined) continue;
        expect(entries).toEqual(expected);
        found.add(steps);
      }
    }
  });
});

describe('between two steps', () => {
  it('a record that no longer passes is left out of a search, and one that passes now is found', () => {
    const table = new RecordTable({ read: (record: StoredRecord) => record });
    for (let n = 1; n <= 3_000; n++) table.put(recordOf(n), recordOf(n));
    const search = { query: 'apple', limit: 10, rules: parseFilter({ 'by 2': 0, flag: true }) };
    const put = (n: number, flag: boolean) => {
      const record = { ...recordOf(n), metadata: { 'by 2': 0, flag } };
      table.put(record, record);
    };
    put(2_000, true);
    put(2_002, true);
    const filter = new SearchSteps(0);
    for (let step = 0; step < 600; step++) expect(table.searchStep(search, filter)).toBeUndefined();
    put(2_000, false);
    table.delete('record 2002');
    put(2_998, true);
    let found = table.searchStep(search, filter);
    for (; found === undefined; ) found = table.searchStep(search, filter);

    expect(found.map(({ id }) => id)).toEqual(['record 2998']);
  });

  it('the records of a page change with those of the table', () => {
    for (const order of ['newest', 'oldest'] as const) {
      const table = new RecordTable({ read: (record: StoredRecord) => record });
      for (let n = 1; n <= 1_000; n++) table.put(recordOf(n), recordOf(n));
      const options = { limit: 5, order, rules: parseFilter({ 'by 100': 0 }) };
      const list = new ListSteps(0);
      for (let step = 0; step < 450; step++) expect(table.listStep(options, list)).toBeUndefined();
      for (const [n, metadata] of [
        [100, {}],
        [150, { 'by 100': 0 }],
        [900, {}],
        [850, { 'by 100': 0 }],
      ] as const) {
        const changed = { ...recordOf(n), metadata };
        table.put(changed, changed);
      }
      table.delete('record 1000');
      table.delete('record 200');
      table.put(recordOf(1_100), recordOf(1_100));
      let page = table.listStep(options, list);
      for (; page === undefined; ) page = table.listStep(options, list);

      expect(page).toEqual(table.list(options));
      expect(page.items.map(({ id }) => id)).toEqual(
        (order === 'newest' ? [1_100, 850, 800, 700, 600] : [150, 300, 400, 500, 600]).map((n) => `record ${n}`),
      );
    }
  });

  it('a page starts again if too much has changed to know what', () => {
    const table = new RecordTable({ read: (record: StoredRecord) => record });
    for (let n = 1; n <= 500; n++) table.put(recordOf(n), recordOf(n));
    const options = { limit: 2, rules: parseFilter({ 'by 100': 0 }) };
    const list = new ListSteps(0);
    for (let step = 0; step < 150; step++) expect(table.listStep(options, list)).toBeUndefined();
    for (let n = 0; n < 10_000; n++) {
      const changed = { ...recordOf(500), metadata: {} };
      table.put(changed, changed);
    }
    let page = table.listStep(options, list);
    for (; page === undefined; ) page = table.listStep(options, list);

    expect(page.items.map(({ id }) => id)).toEqual(['record 400', 'record 300']);
  });

  it('the records of another table are looked at again', () => {
    const tables = [3, 7].map((passing) => {
      const table = new RecordTable({ read: (record: StoredRecord) => record });
      for (let n = 1; n <= 100; n++) {
        const record = { ...recordOf(n), metadata: { passes: n === passing } };
        table.put(record, record);
      }
      return table;
    });
    const search = { query: 'apple', limit: 10, rules: parseFilter({ passes: true }) };
    const filter = new SearchSteps(0);
    for (let step = 0; step < 20; step++) tables[0]?.searchStep(search, filter);
    let found = tables[1]?.searchStep(search, filter);
    for (; found === undefined; ) found = tables[1]?.searchStep(search, filter);

    expect(found.map(({ id }) => id)).toEqual(['record 7']);
  });
});

function recordOf(n: number): StoredRecord {
  const at = new Date(n * 1_000).toISOString();
  const remainders = [2, 7, 100, 4_999, 10_000].map((modulus) => [`by ${modulus}`, n % modulus] as const);
  return {
    id: `record ${n}`,
    content: ['apple', ...(n % 3 === 0 ? ['pear'] : []), ...(n % 7 === 0 ? ['seven'] : [])].join(' '),
    metadata: Object.fromEntries([...remainders, ['modulus', n]]),
    version: 1,
    createdAt: at,
    updatedAt: at,
    created: n,
    index: true,
  };
}

describe('a search in a table of which little is in memory', () => {
  const records = Array.from({ length: MANY + 1 }, (_, n) => recordOf(n));
  const places: PlaceFormat<number> = { numbers: 1, write: (n) => [n], read: ([n]) => n as number };
  const options = { read: (n: number) => records[n] as StoredRecord };
  const table = new RecordTable<number>(options);
  for (let n = 1; n <= MANY; n++) table.put(recordOf(n), n);
  const snapshot = table.snapshot(places);
  const opened = async () => (await RecordTable.openWithPauses(inMemory(snapshot), places, options)) ?? table;

  it('finds the same in many steps, between which records change', async () => {
    const [open, restored] = [await opened(), RecordTable.restore(snapshot, places, options) ?? table];
    for (const query of ['pear', 'apple pear seven', 'nothing']) {
      for (const rules of [[], parseFilter({ 'by 7': 3 })]) {
        const tables = [open, restored].map((one) => ({ one, steps: new SearchSteps(0) }));
        const found = tables.map(({ one, steps }) => {
          for (let n = 1; ; n += 37) {
            const page = one.searchStep({ query, limit: 50, rules }, steps);
            if (page !== undefined) return { page, of: one.search({ query, limit: 50, rules }) };
            if (n <= 370) one.delete(`record ${n}`);
            else if (n <= 740) one.put(recordOf(n), n);
          }
        });
        expect(found[0]?.page.map(({ id }) => id)).toEqual(found[1]?.page.map(({ id }) => id));
        expect(found[0]?.of).toEqual(found[1]?.of);
      }
    }
  });
});

describe('a search by meaning with a filter', () => {
  const vectorOf = (seed: number) => Float32Array.of(Math.sin(seed), Math.cos(3 * seed), Math.sin(7 * seed + 1));
  function filled(count: number) {
    const table = new RecordTable({
      ...{ read: (record: StoredRecord) => record, dimensions: 3 },
      indexed: indexedFields(['by 7']),
    });
    for (let n = 1; n <= count; n++) table.put(recordOf(n), recordOf(n), vectorOf(n));
    return table;
  }
  const search = { query: 'nothing', vector: vectorOf(0.5), limit: 5 };

  it('finds the same in many steps as in one', () => {
    const table = filled(5_000);
    for (const filter of [{}, { 'by 2': 0 }, { 'by 7': 3 }, { 'by 100': 42 }, { 'by 100': -1 }]) {
      const rules = parseFilter(filter);
      const steps = new SearchSteps(0);
      let found = table.searchStep({ ...search, rules }, steps);
      let count = 1;
      for (; found === undefined; count++) found = table.searchStep({ ...search, rules }, steps);
      expect(found).toEqual(table.search({ ...search, rules }));
      expect(count).toBeGreaterThan(4);
    }
  });

  it('finds what passes after the last step, while records change in between', () => {
    const table = filled(3_000);
    const rules = parseFilter({ 'by 100': 42 });
    const steps = new SearchSteps(0);
    let found = table.searchStep({ ...search, rules }, steps);
    for (let n = 42; found === undefined; n += 50) {
      if (n < 3_000 && n % 100 === 42) table.delete(`record ${n}`);
      else if (n < 3_000) table.put(recordOf(n + 50), recordOf(n + 50), vectorOf(n));
      found = table.searchStep({ ...search, rules }, steps);
    }
    expect(found).toEqual(table.search({ ...search, rules }));
  });
});
