import { DatabaseSync } from 'node:sqlite';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SqliteDatabase, SqliteSession, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

const COUNT = 10;
const range = (length: number) => Array.from({ length }, (_, n) => n);

/** Calls `before` and `after` around each statement that a database runs. */
function watched(database: DatabaseSync, before: (sql: string) => void, after: (sql: string) => void): SqliteDatabase {
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        all: (...values) => statement.all(...values),
        get: (...values) => statement.get(...values),
        run(...values) {
          before(sql);
          const result = statement.run(...values);
          after(sql);
          return result;
        },
      };
    },
  };
}

/** A database that another connection keeps locked, except for one transaction after some attempts. */
async function rarelyFree({ attempts }: { readonly attempts: number }) {
  const file = newFile();
  const [real, other] = [new DatabaseSync(file), new DatabaseSync(file)];
  onTestFinished(() => {
    real.close();
    other.close();
  });
  real.exec('PRAGMA journal_mode = WAL');
  let begun = Number.NEGATIVE_INFINITY;
  const database = watched(
    real,
    (sql) => {
      if (sql === 'BEGIN IMMEDIATE' && ++begun === attempts) other.exec('ROLLBACK');
    },
    (sql) => {
      if (sql === 'COMMIT' && begun === attempts) other.exec('BEGIN IMMEDIATE');
    },
  );
  const [session, store] = [new SqliteSession({ database, sessionId: 's' }), new SqliteStore({ database, name: 'm' })];
  await session.addItems([{ n: 'first' }]);
  await store.put({ id: 'first', content: 'heron' });
  return {
    ...{ session, store },
    lock() {
      // However busy the machine is, the step of a transaction is not over.
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      other.exec('BEGIN IMMEDIATE');
      begun = 0;
    },
  };
}

describe('changes that wait for a lock', () => {
  it('are all made as soon as it is free for one transaction, in the order of the calls', async () => {
    const { session, store, lock } = await rarelyFree({ attempts: 4 });
    lock();
    await Promise.all(
      range(COUNT).flatMap((n) => [session.addItems([{ n }]), store.put({ id: `${n}`, content: 'tern' })]),
    );
    expect(await session.getItems()).toEqual([{ n: 'first' }, ...range(COUNT).map((n) => ({ n }))]);
    const { items } = await store.list({ order: 'oldest' });
    expect(items.map(({ id }) => id)).toEqual(['first', ...range(COUNT).map(String)]);
  });

  it('have results and errors of their own', async () => {
    const { session, store, lock } = await rarelyFree({ attempts: 2 });
    const ifVersion = (await store.get('first'))?.version as number;
    lock();
    const outcomes = await Promise.allSettled([
      session.addItems([{ n: 1 }]),
      store.put({ id: 'first', content: 'tern' }, { ifVersion: 7 }),
      session.popItem(),
      store.put({ id: 'first', content: 'tern' }, { ifVersion }),
      store.put({ id: 'first', content: 'gull' }, { ifVersion }),
      session.popItem(),
      session.popItem(),
    ]);
    const conflict = { status: 'rejected', reason: { code: 'CONFLICT' } };
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      conflict,
      { value: { n: 1 } },
      { value: { content: 'tern', version: putTimes(2) } },
      conflict,
      { value: { n: 'first' } },
      { status: 'fulfilled', value: undefined },
    ]);
    expect(await session.getItems()).toEqual([]);
    expect((await store.list()).items).toMatchObject([{ id: 'first', content: 'tern', version: putTimes(2) }]);
  });
});

it('calls at the same time share a transaction, and the event loop turns before a transaction gets long', async () => {
  const real = new DatabaseSync(':memory:');
  onTestFinished(() => real.close());
  let commits = 0;
  const database = watched(
    real,
    () => {},
    (sql) => {
      if (sql === 'COMMIT') commits++;
    },
  );
  const store = new SqliteStore({ database, name: 'm' });
  await store.add('heron');
  commits = 0;
  // A step lasts however long the machine does something else.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await Promise.all(range(3).map((n) => store.put({ id: `${n}`, content: 'tern' })));
  vi.useRealTimers();
  expect(commits).toBe(1);
  // Far more work than fits into one step.
  const content = 'a long text about herons and their nests '.repeat(500);
  const puts = Promise.all(range(1_000).map((n) => store.put({ id: `${n}`, content: `${n} ${content}` })));
  let isDone = false;
  let turnsBefore = 0;
  const turn = () => {
    if (isDone) return;
    turnsBefore++;
    setTimeout(turn);
  };
  setTimeout(turn);
  await puts;
  isDone = true;
  expect(turnsBefore).toBeGreaterThan(1);
});

it('clear() of many small namespaces shares transactions', async () => {
  const real = new DatabaseSync(':memory:');
  onTestFinished(() => real.close());
  let begun = 0;
  const database = watched(
    real,
    (sql) => {
      if (sql === 'BEGIN IMMEDIATE') begun++;
    },
    () => {},
  );
  const store = new SqliteStore({ database, name: 'm' });
  for (const n of range(100)) await store.within([`${n}`]).put({ id: 'one', content: 'heron' });
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  begun = 0;
  expect(await store.clear({ descendants: true })).toBe(100);
  expect(begun).toBeLessThan(5);
});
