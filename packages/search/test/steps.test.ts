import type { RecordInput } from '@keepsake/core';
import { parseFilter } from '@keepsake/core/adapter';
import { EmbeddedStore, type RecordPlace, type RecordSpace, RecordTable, type StoredRecord } from '@keepsake/search';
import { describe, expect, it } from 'vitest';
import { FilterSteps } from '../src/records/filter-steps.ts';
import { ListSteps } from '../src/records/list-steps.ts';

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
  namespaces = async () => [];
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

const COUNT = 2_000;

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
      const filter = new FilterSteps(0);
      let found = table.searchStep(search, filter);
      for (; found === undefined; steps++) found = table.searchStep(search, filter);

      expect(found).toEqual(table.search(search));
      if (modulus >= 100) expect(steps).toBeGreaterThan(5);
    }
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
    const filter = new FilterSteps(0);
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
    const filter = new FilterSteps(0);
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
