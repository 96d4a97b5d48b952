import type { Filter, JsonValue, RecordSource } from '@keepsake/core';
import { indexedFields, parseFilter } from '@keepsake/core/adapter';
import { type PlaceFormat, RecordTable, type StoredRecord } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListSteps } from '../src/records/list-steps.ts';
import { SearchSteps } from '../src/records/search-steps.ts';
import { isUnusable } from '../src/snapshot/snapshot.ts';
import { inMemory, type StoredBytes } from '../src/snapshot/stored-bytes.ts';
import { mangled } from './mangle.ts';

const INDEXED = indexedFields(['kind', 'tag', 'source.run']);
const FORMAT: PlaceFormat<number> = { numbers: 1, write: (place) => [place], read: ([place = 0]) => place };

/** Two tables over the same records, one with an index of fields and one without. */
class Twins {
  readonly records: StoredRecord[] = [];
  reads = 0;
  readonly read = (place: number): StoredRecord => {
    this.reads++;
    return this.records[place] as StoredRecord;
  };
  readonly plain = new RecordTable<number>({ read: this.read });
  indexed = new RecordTable<number>({ read: this.read, indexed: INDEXED });

  put(id: string, created: number, more: Partial<StoredRecord> = {}): void {
    const at = new Date(created * 1_000).toISOString();
    const times = { createdAt: at, updatedAt: at };
    const place = this.records.length;
    this.records.push({ id, content: 'apple', metadata: {}, version: 1, ...times, created, index: true, ...more });
    for (const table of [this.plain, this.indexed]) table.put(this.records[place] as StoredRecord, place);
  }

  delete(id: string): void {
    for (const table of [this.plain, this.indexed]) table.delete(id);
  }

  expire(now: number): void {
    for (const table of [this.plain, this.indexed]) table.expire(now);
  }

  restore(): void {
    const { read } = this;
    const restored = RecordTable.restore(this.indexed.snapshot(FORMAT), FORMAT, { read, indexed: INDEXED });
    this.indexed = restored as RecordTable<number>;
  }

  async reopen(stored: StoredBytes = inMemory(this.indexed.snapshot(FORMAT))): Promise<void> {
    const { read } = this;
    const opened = await RecordTable.openWithPauses(stored, FORMAT, { read, indexed: INDEXED });
    this.indexed = opened as RecordTable<number>;
  }

  expectSame(filter: Filter): void {
    const rules = parseFilter(filter);
    const search = { query: 'apple', limit: 100, rules };
    expect(this.indexed.search(search)).toEqual(this.plain.search(search));
    for (const order of ['newest', 'oldest'] as const) {
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const options = { limit: 2, order, rules, ...(cursor === undefined ? {} : { cursor }) };
        const page = this.indexed.list(options);
        const expected = this.plain.list(options);
        expect(page.items).toEqual(expected.items);
        // The pages can only differ in whether the last one is known to be the last.
        cursor = page.cursor ?? expected.cursor;
        if (page.items.length === 0) break;
      }
    }
  }
}

/** A table of `count` records with `kind` and `tag` by their number. */
function filled(count: number): Twins {
  const twins = new Twins();
  for (let n = 1; n <= count; n++) {
    twins.put(`record ${n}`, n, { metadata: { kind: n % 2 === 0 ? 'even' : 'odd', tag: n % 100 } });
  }
  return twins;
}

describe('a table with indexed fields', () => {
  it('lists by reading only the records with the rarest value that the filter requires', () => {
    const twins = filled(1_000);
    const ids = (filter: Filter) => twins.indexed.list({ filter, limit: 5 }).items.map(({ id }) => id);
    twins.reads = 0;
    expect(ids({ kind: 'even', tag: 42 })).toEqual([
      'record 942',
      'record 842',
      'record 742',
      'record 642',
      'record 542',
    ]);
    expect(twins.reads).toBe(6);
    expect(ids({ tag: 42, kind: 'odd' })).toEqual([]);
    expect(twins.reads).toBe(16);
    expect(ids({ tag: 'missing' })).toEqual([]);
    expect(twins.reads).toBe(16);
  });

  it('searches by reading only the records with that value', () => {
    const twins = filled(1_000);
    const search = { query: 'apple', limit: 3, rules: parseFilter({ kind: 'odd', tag: 43 }) };
    twins.reads = 0;
    expect(twins.indexed.search(search).map(({ id }) => id)).toEqual(['record 943', 'record 843', 'record 743']);
    expect(twins.reads).toBeLessThanOrEqual(10 + 3);
    twins.reads = 0;
    expect(twins.indexed.search({ ...search, rules: parseFilter({ tag: 100 }) })).toEqual([]);
    expect(twins.reads).toBe(0);
  });

  it('searches the same if very many records have the value', () => {
    const twins = filled(4_000);
    for (const filter of [{ kind: 'even' }, { kind: 'odd', tag: 43 }]) {
      const search = { query: 'apple', limit: 10, rules: parseFilter(filter) };
      expect(twins.indexed.search(search)).toEqual(twins.plain.search(search));
    }
    twins.expectSame({ tag: 43 });
  });

  it('reads nothing to put, delete, expire, restore and look for candidates', () => {
    const twins = filled(10);
    twins.put('record 3', 3, { metadata: { kind: 'moved' } });
    twins.delete('record 4');
    twins.restore();
    expect(twins.reads).toBe(0);
    twins.expectSame({ kind: 'moved' });
    twins.expectSame({ kind: 'even' });
  });

  it('finds long texts with the same beginning, and values of any type, apart', () => {
    const twins = new Twins();
    const long = 'x'.repeat(300);
    const values: JsonValue[] = [
      long,
      `${long}y`,
      1,
      '1',
      true,
      'true',
      null,
      'null',
      -0,
      0,
      [1],
      { a: 1 },
      '\ud83d',
      '\ufffd',
      '',
    ];
    for (const [n, tag] of values.entries()) twins.put(`${n}`, n + 1, { metadata: { tag } });
    twins.put('none', 100);
    twins.put('inherited', 101, { metadata: Object.create({ tag: 1 }) });
    for (let restored = 0; restored < 2; restored++) {
      for (const tag of values) if (typeof tag !== 'object' || tag === null) twins.expectSame({ tag });
      const ids = twins.indexed.list({ filter: { tag: long } }).items.map(({ id }) => id);
      expect(ids).toEqual(['0']);
      twins.restore();
    }
  });

  it('knows which value is the rarest after records moved to others', () => {
    const twins = filled(1_000);
    for (let n = 1; n < 999; n += 2) twins.put(`record ${n}`, n, { metadata: { kind: 'moved', tag: 99 } });
    twins.reads = 0;
    const { items } = twins.indexed.list({ filter: { tag: 99, kind: 'odd' } });
    expect(items.map(({ id }) => id)).toEqual(['record 999']);
    expect(twins.reads).toBe(1);
  });

  it('finds the newest record once whose value changes back and forth', () => {
    const twins = filled(1);
    for (const kind of ['a', 'b', 'a', 'b', 'a']) twins.put('record 1', 1, { metadata: { kind } });
    expect(twins.indexed.list({ filter: { kind: 'a' } }).items).toHaveLength(1);
    twins.put('record 2', 2, { metadata: { kind: 'a' } });
    twins.put('record 2', 2, { metadata: { kind: 'b' } });
    twins.put('record 2', 2, { metadata: { kind: 'a' } });
    expect(twins.indexed.list({ filter: { kind: 'a' } }).items.map(({ id }) => id)).toEqual(['record 2', 'record 1']);
  });

  it('finds a record once whose value changes back and forth, also hundreds of times', () => {
    const twins = filled(200);
    const toggle = (n: number, kind: string) => twins.put(`record ${n}`, n, { metadata: { kind } });
    for (let round = 0; round < 200; round++) {
      const kind = round % 2 === 0 ? 'odd' : 'even';
      for (const n of [7, 200, 8]) toggle(n, kind);
      if (round % 50 < 2) twins.expectSame({ kind });
    }
    for (let n = 1; n <= 200; n++) toggle(n, 'all');
    twins.expectSame({ kind: 'all' });
    twins.expectSame({ kind: 'odd' });
    for (let n = 200; n >= 1; n--) twins.delete(`record ${n}`);
    expect(twins.indexed.list({ filter: { kind: 'all' } })).toEqual({ items: [] });
  });

  it('refuses a snapshot with other fields, and restores its own whichever bytes are damaged', () => {
    const { indexed, plain, records } = filled(4);
    // Whoever uses a damaged snapshot gets other records at worst.
    const read = (place: number) => records[place] ?? (records[0] as StoredRecord);
    const snapshot = indexed.snapshot(FORMAT);
    const restore = (bytes: Uint8Array, names: string[]) =>
      RecordTable.restore(bytes, FORMAT, { read, indexed: indexedFields(names) });
    expect(restore(snapshot, ['kind', 'tag', 'source.run'])).toBeDefined();
    for (const names of [[], ['kind'], ['kind', 'tag'], ['kind', 'tag', 'source.kind'], ['kind', 'tag', 'run']]) {
      expect(restore(snapshot, names)).toBeUndefined();
    }
    expect(restore(plain.snapshot(FORMAT), ['kind'])).toBeUndefined();
    expect(restore(plain.snapshot(FORMAT), [])).toBeDefined();
    for (const bytes of mangled(snapshot)) {
      const table = restore(bytes, ['kind', 'tag', 'source.run']);
      table?.list({ filter: { kind: 'odd' } });
      table?.search({ query: 'apple', limit: 5, rules: parseFilter({ tag: 4 }) });
    }
  });

  it('opens its own snapshot whichever bytes are damaged, and then finds something or refuses it', async () => {
    const { indexed, records } = filled(4);
    const read = (place: number) => records[place] ?? (records[0] as StoredRecord);
    const rules = parseFilter({ tag: 4 });
    let refused = 0;
    for (const bytes of mangled(indexed.snapshot(FORMAT))) {
      const table = await RecordTable.openWithPauses(inMemory(bytes), FORMAT, { read, indexed: INDEXED });
      try {
        table?.list({ filter: { kind: 'odd' } });
        table?.search({ query: 'apple', limit: 5, rules });
        table?.put(records[3] as StoredRecord, 3);
        table?.snapshot(FORMAT);
      } catch (error) {
        if (!isUnusable(error)) throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it('reads few bytes of a snapshot to filter by a rare value', async () => {
    const twins = filled(6_000);
    twins.put('record 77', 77, { metadata: { kind: 'rare' } });
    const stored = inMemory(twins.indexed.snapshot(FORMAT));
    let bytes = 0;
    await twins.reopen({
      length: stored.length,
      read: (target, offset) => {
        bytes += target.length;
        stored.read(target, offset);
      },
    });
    const opening = bytes;
    expect(twins.indexed.list({ filter: { kind: 'rare' } }).items).toHaveLength(1);
    expect(bytes - opening).toBeLessThan(10_000);
    // A number for each record and field, and no ids.
    expect(opening).toBeLessThan(6_000 * (20 + 3 * 4) + 20_000);
    twins.expectSame({ kind: 'rare' });
  });

  it('answers in steps what it answers at once, while records change between them', () => {
    const twins = filled(2_000);
    const rules = parseFilter({ kind: 'odd', tag: { gte: 99 } });
    const [list, search] = [new ListSteps(0), new SearchSteps(0)];
    const listed = { limit: 5, rules };
    const searched = { query: 'apple', limit: 5, rules };
    for (let step = 0; step < 150; step++) {
      expect(twins.indexed.listStep(listed, list)).toBeUndefined();
      expect(twins.indexed.searchStep(searched, search)).toBeUndefined();
    }
    twins.put('record 1999', 1_999, { metadata: { kind: 'even', tag: 99 } });
    twins.put('record 1998', 1_998, { metadata: { kind: 'odd', tag: 99 } });
    twins.put('record 2', 2, { metadata: { kind: 'odd', tag: 99 } });
    twins.put('record 2001', 2_001, { metadata: { kind: 'odd', tag: 99 } });
    twins.delete('record 1899');
    let page = twins.indexed.listStep(listed, list);
    for (; page === undefined; ) page = twins.indexed.listStep(listed, list);
    let found = twins.indexed.searchStep(searched, search);
    for (; found === undefined; ) found = twins.indexed.searchStep(searched, search);

    expect(page).toEqual(twins.plain.list(listed));
    expect(found).toEqual(twins.plain.search(searched));
    expect(page.items.map(({ id }) => id)).toEqual([2_001, 1_998, 1_799, 1_699, 1_599].map((n) => `record ${n}`));
  });

  const change = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        id: fc.nat(9),
        kind: fc.constantFrom<JsonValue | undefined>('a', 'b', 1, undefined),
        run: fc.constantFrom(undefined, 'r', 's'),
        index: fc.boolean(),
        content: fc.constantFrom('apple', 'pear and apple', 'pear', 'Where is the pear?'),
        turn: fc.constantFrom(undefined, 'a', 'b'),
        ttl: fc.nat(30),
        again: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ delete: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ wait: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.constant('restore' as const) },
    { weight: 2, arbitrary: fc.constant('reopen' as const) },
  );

  it('answers as a table without, after any changes and restores', async () => {
    const run = fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
      const twins = new Twins();
      const createdOf = new Map<number, number>();
      let [created, now] = [0, 0];
      for (const one of changes) {
        if (one === 'restore') twins.restore();
        else if (one === 'reopen') await twins.reopen();
        else if ('delete' in one) twins.delete(`${one.delete}`);
        else if ('wait' in one) {
          now += one.wait;
          twins.expire(now);
        } else {
          const { id, kind, run, index, ttl, again, content, turn: thread } = one;
          const place = again ? undefined : createdOf.get(id);
          createdOf.set(id, place ?? ++created);
          twins.put(`${id}`, place ?? created, {
            metadata: kind === undefined ? {} : { kind },
            ...(run === undefined ? {} : { source: { run } satisfies RecordSource }),
            ...(ttl > 15 ? {} : { expiresAt: new Date(now + ttl + 1).toISOString() }),
            ...(thread === undefined ? {} : { turn: { thread, index: id } }),
            index,
            content,
          });
        }
        for (const filter of [{ kind: 'a' }, { kind: 1, 'source.run': 'r' }, { kind: { in: ['a', 'b'] } }]) {
          twins.expectSame(filter);
        }
      }
    });
    await fc.assert(run, { numRuns: rounds(200, 60) });
  });
});
