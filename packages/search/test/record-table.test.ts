import type { Filter, ListOptions } from '@keepsake/core';
import { indexedFields, parseFilter } from '@keepsake/core/adapter';
import { type PlaceFormat, RecordTable, type StoredRecord } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inMemory, type StoredBytes } from '../src/snapshot/stored-bytes.ts';
import { mangled, truncated } from './mangle.ts';

/** A list of records, where the place of a record is its index. It could be a line of a file. */
class Shelf {
  readonly records: StoredRecord[] = [];
  /** The places that were read, in order. */
  readonly reads: number[] = [];
  readonly damaged = new Set<number>();

  add(record: StoredRecord): number {
    return this.records.push(record) - 1;
  }

  readonly read = (place: number): StoredRecord => {
    this.reads.push(place);
    if (this.damaged.has(place)) throw new Error('damaged');
    return this.records[place] as StoredRecord;
  };

  /** The number of records that `use` reads. */
  readsOf(use: () => unknown): number {
    this.reads.length = 0;
    use();
    return this.reads.length;
  }
}

const FORMAT: PlaceFormat<number> = { numbers: 1, write: (place) => [place], read: ([place = 0]) => place };

function recordOf(id: string, created: number, more: Partial<StoredRecord> = {}): StoredRecord {
  const at = new Date(created * 1000).toISOString();
  return {
    id,
    content: `apple ${id}`,
    metadata: {},
    version: 1,
    createdAt: at,
    updatedAt: at,
    created,
    index: true,
    ...more,
  };
}

/** The ids and places of a table, in the order of the last put. */
function placesOf(table: RecordTable<number>): { id: string; place: number }[] {
  return Array.from(table.places(), ({ id, place }) => ({ id, place }));
}

/** A table of `count` records, `record 1` first. */
function filled(count: number, more: (n: number) => Partial<StoredRecord> = () => ({})) {
  const shelf = new Shelf();
  const table = new RecordTable<number>({ read: shelf.read });
  for (let n = 1; n <= count; n++) {
    const record = recordOf(`record ${n}`, n, more(n));
    table.put(record, shelf.add(record));
  }
  return { shelf, table };
}

/** A table that reads the rest of its snapshot when it is needed. */
async function opened(snapshot: Uint8Array | StoredBytes, { read }: Shelf): Promise<RecordTable<number>> {
  const stored = snapshot instanceof Uint8Array ? inMemory(snapshot) : snapshot;
  const table = await RecordTable.openWithPauses(stored, FORMAT, { read });
  if (table === undefined) throw new Error('The snapshot was refused.');
  return table;
}

function find(table: RecordTable<number>, query: string, more: { limit?: number; topic?: string } = {}): string[] {
  const { limit = 10, topic } = more;
  const rules = topic === undefined ? [] : parseFilter({ topic });
  return table.search({ query, limit, rules }).map(({ id }) => id as string);
}

describe('a table reads', () => {
  it('no record to fill, count, enumerate, delete, expire and restore', () => {
    const { shelf, table } = filled(100, (n) => ({ expiresAt: new Date(n).toISOString() }));
    const reads = shelf.readsOf(() => {
      expect(table.size).toBe(100);
      expect(table.has('record 7')).toBe(true);
      expect(placesOf(table)).toHaveLength(100);
      expect(table.delete('record 100')).toBe(99);
      expect(table.delete('record 100')).toBeUndefined();
      expect(table.expire(50)).toEqual(Array.from({ length: 50 }, (_, place) => place));
      expect(RecordTable.restore(table.snapshot(FORMAT), FORMAT, { read: shelf.read })?.size).toBe(49);
    });
    expect(reads).toBe(0);
  });

  it('only the requested record', () => {
    const { shelf, table } = filled(100);
    expect(shelf.readsOf(() => expect(table.get('record 7')?.content).toBe('apple record 7'))).toBe(1);
    expect(shelf.readsOf(() => expect(table.get('record 101')).toBeUndefined())).toBe(0);
  });

  it('only the hits of a search', () => {
    const { shelf, table } = filled(100);
    expect(shelf.readsOf(() => expect(find(table, 'apple', { limit: 3 })).toHaveLength(3))).toBe(3);
  });

  it('all candidates of a filtered search', () => {
    const { shelf, table } = filled(100, (n) => ({ metadata: { topic: n % 2 === 0 ? 'even' : 'odd' } }));
    expect(find(table, 'apple', { limit: 2, topic: 'odd' })).toEqual(['record 99', 'record 97']);
    const reads = shelf.readsOf(() => find(table, 'record 50', { limit: 1, topic: 'even' }));
    expect(reads).toBeLessThanOrEqual(101);
    expect(shelf.reads).toContain(49);
  });

  it('only the hits of a search if an index decides its filter', () => {
    const long = 'x'.repeat(198);
    const shelf = new Shelf();
    const table = new RecordTable<number>({ read: shelf.read, indexed: indexedFields(['topic', 'kind']) });
    for (let n = 1; n <= 100; n++) {
      const metadata = { topic: n % 2 === 0 ? 'even' : 'odd', kind: n % 5, [n % 3 === 0 ? 'other' : 'topics']: 1 };
      const record = recordOf(`record ${n}`, n, { metadata: n > 96 ? { topic: `${long}${n}` } : metadata });
      table.put(record, shelf.add(record));
    }
    const search = (filter: Filter, limit = 2) =>
      table.search({ query: 'apple', limit, rules: parseFilter(filter) }).map(({ id }) => id);
    const hits = [
      [{ topic: 'odd' }, ['record 95', 'record 93']],
      [{ topic: 'odd', kind: 1 }, ['record 91', 'record 81']],
      [{ topic: { in: ['even'] }, kind: 0 }, ['record 90', 'record 80']],
    ] as const;
    for (const [filter, ids] of hits) {
      expect(shelf.readsOf(() => expect(search(filter)).toEqual(ids))).toBe(2);
      // Half of it is not indexed.
      expect(shelf.readsOf(() => search({ ...filter, other: 1 }))).toBeGreaterThan(2);
    }
    // Texts with the same beginning share a place in the index.
    expect(search({ topic: `${long}98` })).toEqual(['record 98']);
    expect(search({ topic: long })).toEqual([]);
  });

  it('a page, and with a filter up to one record beyond it', () => {
    const { shelf, table } = filled(100, (n) => ({ metadata: { topic: n % 10 === 0 ? 'tens' : 'other' } }));
    const { cursor } = table.list({ limit: 5 });
    expect(cursor).toBeDefined();
    for (const options of [{ limit: 5 }, { limit: 5, order: 'oldest' }, { limit: 5, cursor }] as ListOptions[]) {
      expect(shelf.readsOf(() => expect(table.list(options).items).toHaveLength(5))).toBe(5);
    }
    expect(shelf.readsOf(() => table.list({ limit: 2, filter: { topic: 'tens' } }))).toBe(21);
  });

  it('each record once in a hybrid search', () => {
    const shelf = new Shelf();
    const table = new RecordTable<number>({ dimensions: 2, read: shelf.read });
    for (let n = 1; n <= 20; n++) {
      const record = recordOf(`record ${n}`, n, { metadata: { topic: 'all' } });
      table.put(record, shelf.add(record), Float32Array.of(1, n));
    }
    const rules = parseFilter({ topic: 'none' });
    const search = { query: 'apple', vector: Float32Array.of(1, 1), limit: 3, rules };
    expect(shelf.readsOf(() => expect(table.search(search)).toEqual([]))).toBe(20);
  });
});

describe('an unreadable record', () => {
  it('fails only the calls that need it', () => {
    const { shelf, table } = filled(10);
    shelf.damaged.add(4);
    const topic = { filter: { topic: 'none' } };
    const none = { createdAt: undefined, ttlMs: undefined, turn: undefined, source: undefined };
    const inputs = [{ id: 'record 5', content: 'new', metadata: {}, index: true, ...none }];
    for (let twice = 0; twice < 2; twice++) {
      expect(() => table.get('record 5')).toThrow('damaged');
      expect(() => table.list()).toThrow('damaged');
      expect(() => table.list(topic)).toThrow('damaged');
      expect(() => table.revise(inputs, new Date())).toThrow('damaged');
      expect(() => find(table, 'apple record')).toThrow('damaged');
      expect(() => find(table, 'apple record', { topic: 'none' })).toThrow('damaged');
      expect(find(table, 'apple', { limit: 3 })).toEqual(['record 10', 'record 9', 'record 8']);
      expect(table.list({ limit: 5 }).items).toHaveLength(5);
    }
    expect(table.delete('record 5')).toBe(4);
    expect(find(table, 'apple')).toHaveLength(9);
    expect(table.list().items).toHaveLength(9);
  });
});

describe('a repeated put of a record', () => {
  it('returns its old place, and makes it the newest in a search but not in a list', () => {
    const { shelf, table } = filled(3);
    expect(placesOf(table).map(({ place }) => place)).toEqual([0, 1, 2]);
    const again = recordOf('record 1', 1, { content: 'apple record 1', version: 2 });
    expect(table.put(again, shelf.add(again))).toBe(0);
    expect(find(table, 'apple')).toEqual(['record 1', 'record 3', 'record 2']);
    expect(table.list({ order: 'oldest' }).items.map(({ id }) => id)).toEqual(['record 1', 'record 2', 'record 3']);
    expect(placesOf(table)).toEqual([
      { id: 'record 2', place: 1 },
      { id: 'record 3', place: 2 },
      { id: 'record 1', place: 3 },
    ]);
  });

  it('with another creation, as after damage, puts another record with its own expiry', () => {
    const { shelf, table } = filled(2, () => ({ expiresAt: new Date(1000).toISOString() }));
    const another = recordOf('record 1', 3);
    expect(table.put(another, shelf.add(another))).toBe(0);
    expect(table.expire(2000)).toEqual([1]);
    expect(table.list().items.map(({ id }) => id)).toEqual(['record 1']);
  });
});

type Step =
  | {
      readonly kind: 'put';
      readonly id: number;
      readonly ttl: number;
      readonly indexed: boolean;
      readonly again: boolean;
    }
  | { readonly kind: 'delete'; readonly id: number }
  | { readonly kind: 'wait'; readonly time: number }
  | { readonly kind: 'restore' }
  | { readonly kind: 'open' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      id: fc.nat(12),
      ttl: fc.nat(40),
      indexed: fc.boolean(),
      again: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), time: fc.nat(15) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restore' as const, 'open' as const) }) },
);

/** All pages of a list, one after the other. */
function pages(table: RecordTable<number>, options: ListOptions): string[] {
  const ids: string[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = table.list({ ...options, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
  }
  return ids;
}

/** Performs the steps, and compares with a plain list of records in the order of the last put. */
async function expectLikeAList(steps: readonly Step[]): Promise<void> {
  const shelf = new Shelf();
  let table = new RecordTable<number>({ read: shelf.read });
  let list: { readonly record: StoredRecord; readonly place: number; readonly expires: number }[] = [];
  let [now, created] = [0, 0];
  for (const step of steps) {
    if (step.kind === 'put') {
      const id = `record ${step.id}`;
      const known = list.find(({ record }) => record.id === id)?.record;
      // A deleted record can return to its old place, from a log with a damaged line.
      const place = known && !step.again ? known.created : step.again ? ++created : Math.max(1, created - step.id);
      created = Math.max(created, place);
      if (list.some(({ record }) => record.created === place && record.id !== id)) continue;
      const expires = step.ttl > 20 ? Infinity : now + step.ttl;
      const expiresAt = expires === Infinity ? {} : { expiresAt: new Date(expires).toISOString() };
      const record = recordOf(id, place, { index: step.indexed, ...expiresAt });
      const at = shelf.add(record);
      const former = list.find((one) => one.record.id === id)?.place;
      expect(table.put(record, at)).toBe(former);
      list = [...list.filter((one) => one.record.id !== id), { record, place: at, expires }];
    } else if (step.kind === 'delete') {
      const id = `record ${step.id}`;
      expect(table.delete(id)).toBe(list.find(({ record }) => record.id === id)?.place);
      list = list.filter(({ record }) => record.id !== id);
    } else if (step.kind === 'wait') {
      now += step.time;
      const expired = list.filter(({ expires }) => expires <= now).map(({ place }) => place);
      expect(table.expire(now).sort((a, b) => a - b)).toEqual(expired.sort((a, b) => a - b));
      list = list.filter(({ expires }) => expires > now);
    } else if (step.kind === 'restore') {
      table = RecordTable.restore(table.snapshot(FORMAT), FORMAT, { read: shelf.read }) as RecordTable<number>;
    } else {
      table = await opened(table.snapshot(FORMAT), shelf);
    }
    const byCreation = list.map(({ record }) => record).sort((a, b) => a.created - b.created);
    const oldest = byCreation.map(({ id }) => id);
    expect(table.size).toBe(list.length);
    expect(table.created).toBe(created);
    expect(placesOf(table)).toEqual(list.map(({ record, place }) => ({ id: record.id, place })));
    expect(pages(table, { limit: 3, order: 'oldest' })).toEqual(oldest);
    expect(pages(table, { limit: 3 })).toEqual(oldest.toReversed());
    const indexed = list.filter(({ record }) => record.index).map(({ record }) => record.id);
    expect(find(table, 'apple', { limit: 20 })).toEqual(indexed.toReversed());
  }
}

describe('a table', () => {
  it('behaves like a plain list of records, even if it is restored or opened', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), expectLikeAList), {
      numRuns: rounds(300, 100),
    });
  });

  it('keeps its order and expiry times during thousands of changes', () => {
    const { shelf, table } = filled(3000, (n) => ({ expiresAt: new Date(10_000 + (n % 7) * 1000).toISOString() }));
    // Changed times and deleted records: cleaning up must not remove anything else.
    for (const later of [30_000, 50_000, 40_000, 50_000]) {
      for (let n = 1; n <= 3000; n += 2) {
        const again = recordOf(`record ${n}`, n, { expiresAt: new Date(later + n).toISOString() });
        table.put(again, shelf.add(again));
      }
    }
    for (let n = 4; n <= 3000; n += 4) table.delete(`record ${n}`);
    expect(table.size).toBe(2250);
    expect(table.expire(50_000)).toHaveLength(750);
    expect(pages(table, { limit: 1000, order: 'oldest' })).toEqual(
      Array.from({ length: 1500 }, (_, i) => `record ${2 * i + 1}`),
    );
    expect(table.expire(50_000 + 1001)).toHaveLength(501);
    expect(table.list({ order: 'oldest', limit: 1 }).items[0]?.id).toBe('record 1003');
    expect(table.list({ limit: 1 }).items[0]?.id).toBe('record 2999');
  });
});

describe.each([
  ['with vectors', { dimensions: 3 }],
  ['without vectors', {}],
])('a snapshot of a table %s', (_name, dimensions) => {
  const shelf = new Shelf();
  const options = { ...dimensions, read: shelf.read };
  const table = new RecordTable<number>(options);
  const uuid = '0196f0e4-7c2b-7d3a-9c41-5e8f00112233';
  const ids = ['a note', uuid, `content-${'5e'.repeat(32)}`, 'ключ', uuid.replace('33', '32'), '\ud800 "\0'];
  for (const [n, id] of ids.entries()) {
    const expiresAt = n === 1 ? { expiresAt: '2030-01-01T00:00:00.000Z' } : {};
    const record = recordOf(id, n + 1, { index: n !== 3, ...expiresAt });
    table.put(record, shelf.add(record), n === 0 || n === 3 ? undefined : Float32Array.of(1, n, 0));
  }
  table.createAfter(77);
  const bytes = table.snapshot(FORMAT);
  const vector = Float32Array.of(1, 1, 1);
  const search = { query: 'apple note', limit: 10, rules: [], ...('dimensions' in dimensions ? { vector } : {}) };

  it('restores ids of any kind, vectors, times, and the highest creation number', () => {
    const back = RecordTable.restore(bytes, FORMAT, options) as RecordTable<number>;
    expect(placesOf(back)).toEqual(placesOf(table));
    expect(back.search(search)).toEqual(table.search(search));
    expect(back.search(search)).toHaveLength(5);
    expect(back.list()).toEqual(table.list());
    expect(back.created).toBe(77);
    expect(back.expire(Date.parse('2029-12-31T23:59:59.999Z'))).toEqual([]);
    expect(back.expire(Date.parse('2030-01-01T00:00:00.000Z'))).toEqual([1]);
    expect(back.snapshot(FORMAT).length).toBeLessThan(bytes.length);
  });

  it('is refused by a table with other dimensions or another place format', () => {
    const { read } = shelf;
    const other = 'dimensions' in dimensions ? { read } : { dimensions: 3, read };
    expect(RecordTable.restore(bytes, FORMAT, other)).toBeUndefined();
    expect(RecordTable.restore(bytes, FORMAT, { dimensions: 4, read })).toBeUndefined();
    expect(RecordTable.restore(bytes, { ...FORMAT, numbers: 2 }, options)).toBeUndefined();
    const empty = new RecordTable<number>(options).snapshot(FORMAT);
    expect(RecordTable.restore(empty, FORMAT, options)?.size).toBe(0);
    expect(RecordTable.restore(empty, FORMAT, other)).toBeUndefined();
  });

  // With vectors, a snapshot has all that it has without.
  const tags = 'dimensions' in dimensions ? [] : ['nightly'];
  it('is refused or restores a working table, whichever bytes are damaged', { tags }, () => {
    for (const cut of truncated(bytes)) expect(RecordTable.restore(cut, FORMAT, options)).toBeUndefined();
    const read = (place: number) => recordOf(`place ${place}`, 1);
    let [tried, refused] = [0, 0];
    for (const other of mangled(bytes)) {
      tried++;
      const back = RecordTable.restore(other, FORMAT, { ...dimensions, read });
      if (back === undefined) {
        refused++;
        continue;
      }
      expect(back.size).toBe(ids.length);
      expect(back.list().items).toHaveLength(ids.length);
      expect(back.search(search).length).toBeLessThanOrEqual(5);
      back.put(recordOf('another', back.created + 1, { content: 'zebra' }), 9, Float32Array.of(1, 2, 3));
      expect(back.search({ ...search, query: 'zebra', limit: 1 })).toHaveLength(1);
      for (const { id, place } of placesOf(back)) expect(back.delete(id)).toBe(place);
      expect(back.size).toBe(0);
      expect(back.search(search)).toEqual([]);
    }
    expect(refused).toBeGreaterThan(tried / 2);
  });
});

describe('an opened table', () => {
  const COUNT = 4_000;
  const { shelf, table } = filled(COUNT, (n) => ({ content: `apple word${n % 2_500} number${n}` }));
  const snapshot = table.snapshot(FORMAT);
  const bytesReadBy = async (use: (table: RecordTable<number>) => void) => {
    let bytes = 0;
    const { length, read } = inMemory(snapshot);
    const counted = (target: Uint8Array, offset: number) => {
      bytes += target.length;
      read(target, offset);
    };
    const table = await opened({ length, read: counted }, shelf);
    const opening = bytes;
    use(table);
    return { opening, use: bytes - opening };
  };

  it('reads at most 20 bytes for each record when it is opened, and little for a search, a page and a change', async () => {
    const { opening, use } = await bytesReadBy((table) => {
      expect(find(table, 'number77')).toEqual(['record 77']);
      expect(table.list({ limit: 3 }).items.map(({ id }) => id)).toEqual(
        ['4000', '3999', '3998'].map((n) => `record ${n}`),
      );
      expect(table.get('record 2000')?.id).toBe('record 2000');
      expect(table.get('record 0')).toBeUndefined();
      expect(table.delete('record 77')).toBe(76);
      table.put(recordOf('record 78', 78), shelf.add(recordOf('record 78', 78)));
    });
    expect(opening).toBeLessThan(20 * COUNT + 10_000);
    expect(use).toBeLessThan(10_000);
  });

  it('is not changed by searches while it is written', async () => {
    const open = await opened(snapshot, shelf);
    const words = ['apple', 'word7', 'number3999', 'nothing'];
    const pieces: Uint8Array[] = [];
    let steps = 0;
    for (const piece of open.snapshotting(FORMAT)) {
      if (piece !== undefined) pieces.push(piece.slice());
      find(open, words[steps++ % words.length] as string);
    }
    expect(steps).toBeGreaterThan(20);
    const again = RecordTable.restore(Buffer.concat(pieces), FORMAT, { read: shelf.read }) as RecordTable<number>;
    for (const word of words) expect(find(again, word)).toEqual(find(table, word));
    expect(placesOf(again)).toEqual(placesOf(table));
  });

  it('is of no use in pieces if it changes between them', async () => {
    const open = await opened(snapshot, shelf);
    const pieces = open.snapshotting(FORMAT);
    pieces.next();
    open.delete('record 7');
    let last = pieces.next();
    while (!last.done) last = pieces.next();
    expect(last.value).toBe(false);
  });
});

it('a snapshot refuses numbers that it cannot represent', () => {
  const { table } = filled(1);
  expect(() => table.snapshot({ ...FORMAT, write: () => [0.5] })).toThrow(RangeError);
  expect(() => table.snapshot({ ...FORMAT, write: () => [2 ** 51] })).toThrow(RangeError);
  expect(() => table.snapshot({ ...FORMAT, write: () => [-(2 ** 51) + 1] })).not.toThrow();
});
