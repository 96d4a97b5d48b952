import { RecordTable, type StoredRecord } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Threads } from '../src/ranking/threads.ts';
import { mangled, truncated } from './mangle.ts';
import { recordOf, search, tableOf, talk } from './talk.ts';

const WORDS = [
  'apple',
  'pie',
  'bought',
  'guitar',
  'mother',
  'yesterday',
  'Ada',
  'Ben',
  'lighthouse?',
  'the',
  'May',
  '2024',
];
const QUERIES = [
  'When did Ada buy an apple pie?',
  'Which instrument has Ben?',
  'the lighthouse in May 2024',
  'apple apple guitar relatives',
  'the',
];

const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
const turn = fc.record(
  {
    thread: fc.constantFrom('a', 'b', 'c'),
    index: fc.oneof(fc.nat({ max: 9 }), fc.constantFrom(2 ** 40, Number.MAX_SAFE_INTEGER)),
    speaker: fc.constantFrom('Ada', 'Ben', 'Cid Ada'),
  },
  { requiredKeys: ['thread', 'index'] },
);
const change = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'delete', 'expire'),
  id: fc.nat({ max: 60 }),
  text,
  turn: fc.option(turn, { nil: undefined, freq: 8 }),
  lives: fc.option(fc.nat({ max: 400 }), { nil: undefined, freq: 3 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const read = (record: StoredRecord) => record;

/** Applies the changes to a table and to a plain list in the order of the last put. */
function after(changes: readonly Change[]): { table: RecordTable; records: StoredRecord[] } {
  const table = new RecordTable({ read });
  let records: StoredRecord[] = [];
  for (const [now, { kind, id, text, turn, lives }] of changes.entries()) {
    if (kind === 'expire') {
      table.expire(now);
      records = records.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > now);
      continue;
    }
    const before = records.find((record) => record.id === String(id));
    records = records.filter((record) => record !== before);
    table.search({ query: 'apple', limit: 3, rules: [] });
    if (kind === 'delete') {
      table.delete(String(id));
      continue;
    }
    const { turn: _, ...bare } = recordOf(before?.created ?? table.created + 1, { text });
    const record = {
      ...{ ...bare, id: String(id) },
      ...(turn === undefined ? {} : { turn }),
      ...(lives === undefined ? {} : { expiresAt: new Date(now + lives).toISOString() }),
    };
    table.put(record, record);
    records.push(record);
  }
  return { table, records };
}

function found(table: RecordTable): unknown[] {
  return QUERIES.map((query) => search(table, query, 30));
}

describe('a table after any changes', () => {
  it('ranks exactly like a new table with the same records, including explanations', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 120 }), (changes) => {
        const { table, records } = after(changes);
        expect(found(table)).toEqual(found(tableOf(...records)));
      }),
      { numRuns: rounds(60, 20) },
    );
  });

  it('ranks exactly like a new table after thousands of changes', () => {
    const COUNT = rounds(4_000, 1_500);
    const [changes] = fc.sample(fc.array(change, { minLength: COUNT, maxLength: COUNT, size: 'max' }), {
      numRuns: 1,
      seed: 7,
    });
    const { table, records } = after(changes as Change[]);
    expect(records.length).toBeGreaterThan(20);
    expect(found(table)).toEqual(found(tableOf(...records)));
  });
});

/** The place of a record is its index in a list. */
const FORMAT = { numbers: 1, write: (place: number) => [place], read: ([place = 0]: readonly number[]) => place };

function shelved(records: readonly StoredRecord[]): RecordTable<number> {
  const table = new RecordTable<number>({ read: (place) => records[place] as StoredRecord });
  for (const [place, record] of records.entries()) table.put(record, place);
  return table;
}

describe('a snapshot with turns', () => {
  it('restores the same results, also after a further change', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), text, (changes, added) => {
        const { records } = after(changes);
        const all = [...records, recordOf(1000, { text: added, speaker: 'Ada', thread: 'a', index: 4 })];
        const options = { read: (place: number) => all[place] as StoredRecord };
        const kept = RecordTable.restore(shelved(records).snapshot(FORMAT), FORMAT, options);
        expect(kept).toBeDefined();
        const table = kept as RecordTable<number>;
        const fresh = shelved(records);
        for (const query of QUERIES) {
          const by = { query, limit: 30, rules: [], explain: true, now: new Date(0) };
          expect(table.search(by)).toEqual(fresh.search(by));
        }
        table.put(all.at(-1) as StoredRecord, all.length - 1);
        const extended = shelved(all);
        for (const query of QUERIES) {
          const by = { query, limit: 30, rules: [], explain: true, now: new Date(0) };
          expect(table.search(by)).toEqual(extended.search(by));
        }
      }),
      { numRuns: rounds(60, 20) },
    );
  });

  it('is refused or restores a working table, whichever bytes are damaged', () => {
    const records = [
      recordOf(1, { text: 'apple?', speaker: 'Ada', thread: 'a' }),
      recordOf(2, { text: 'pie yesterday', thread: 'b', index: 2 ** 50 }),
    ];
    const options = { read: (place: number) => records[place] ?? (records[0] as StoredRecord) };
    const bytes = shelved(records).snapshot(FORMAT);
    for (const damaged of [...truncated(bytes), ...mangled(bytes)]) {
      const table = RecordTable.restore(damaged, FORMAT, options);
      for (const { score } of table?.search({ query: 'When did Ada eat apple pie in May?', limit: 9, rules: [] }) ??
        []) {
        expect(score).toBeGreaterThan(0);
      }
    }
  });
});

describe('threads', () => {
  it('keep turns in order, and nothing of removed turns', () => {
    const threads = new Threads();
    for (const [document, index] of [5, 1, 3, 1, 9].entries()) threads.add(document, 'a', index);
    expect(threads.around(0)).toEqual([1, 3, 2, 0, 4]);
    threads.remove(2);
    threads.add(2, 'b', 0);
    threads.add(6, 'a', 2);
    expect(threads.around(4)).toEqual([1, 3, 6, 0, 4]);
    expect(threads.around(2)).toEqual([2]);
    expect([1, 3, 6, 0, 4].map((document) => threads.placeOf(document))).toEqual([0, 1, 2, 3, 4]);
    threads.remove(2);
    expect(threads.around(2)).toBeUndefined();
    expect(threads.around(7)).toBeUndefined();
  });

  it('do not grow if turns are added and removed without a search', () => {
    const threads = new Threads();
    threads.add(0, 'a', 0);
    for (let round = 1; round <= 10_000; round++) {
      threads.add(1, 'a', round);
      threads.remove(1);
    }
    threads.add(1, 'a', 5);
    expect(threads.placeOf(1)).toBeLessThan(200);
    expect(threads.around(0)).toEqual([0, 1]);
  });
});

describe('a replaced record', () => {
  it('moves to its new turn', () => {
    const table = talk('Ada: the lighthouse?', 'Ben: hello');
    const moved = { ...recordOf(2, { text: 'hello', thread: 'elsewhere' }), version: 2 };
    expect(search(table, 'lighthouse').map(({ id }) => id)).toEqual(['hello', 'the lighthouse?']);
    table.put(moved, moved);
    expect(search(table, 'lighthouse').map(({ id }) => id)).toEqual(['the lighthouse?']);
  });
});
