import { DatabaseSync } from 'node:sqlite';
import { isMemoryError, type MemoryError } from '@keepsake/core';
import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { step } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { describe, expect, it } from 'vitest';
import { type SqliteDatabase, SqliteSessionStore, SqliteStore } from '../../src/index.ts';
import { failingDatabase } from './failing-database.ts';

const IO_ERROR = 10;
const BUSY = 5;
const FULL = 13;
/** Every call in a full run. */
const STEP = step(5);

/** What the tests of changes have done, for the last of them to show. */
const figures: string[] = [];

const range = (length: number) => Array.from({ length }, (_, n) => n);

function open(database: SqliteDatabase) {
  const sessions = new SqliteSessionStore({ database });
  const store = new SqliteStore({ database, name: 'memory', namespace: ['a'], embedder: WORD_EMBEDDER });
  return { session: sessions.open('s'), sessions, store };
}
type Opened = ReturnType<typeof open>;

const records = (from: number, number: number) =>
  range(number).map((n) => ({
    id: `${from + n}`,
    content: `heron ${from + n} by the river`,
    metadata: { n, kind: 'bird' },
    turn: { thread: 't', index: from + n, speaker: 'Ada' },
  }));

async function fill({ session, store }: Opened): Promise<void> {
  await session.addItems(range(5).map((n) => ({ n })));
  await session.applyHistoryTransaction({
    operationId: 'known',
    transaction: { type: 'append_items', items: [{ n: 5 }] },
  });
  await store.putMany(records(0, 5));
  await store.within(['below']).putMany(records(0, 2));
}

const changes: Record<string, (opened: Opened) => Promise<unknown>> = {
  addItems: ({ session }) => session.addItems([{ n: 6 }, { n: 7 }]),
  popItem: ({ session }) => session.popItem(),
  clearSession: ({ session }) => session.clearSession(),
  replaceHistoryWithCompaction: ({ session }) => session.replaceHistoryWithCompaction([{ n: 'all' }]),
  'applyHistoryTransaction, append': ({ session }) =>
    session.applyHistoryTransaction({ operationId: 'new', transaction: { type: 'append_items', items: [{ n: 6 }] } }),
  'applyHistoryTransaction, replace': ({ session }) =>
    session.applyHistoryTransaction({
      operationId: 'new',
      transaction: { type: 'replace_suffix', expectedSuffix: [{ n: 5 }], replacement: [{ n: 6 }, { n: 7 }] },
    }),
  'sessions.delete': ({ sessions }) => sessions.delete('s'),
  'putMany of new records': ({ store }) => store.putMany(records(10, 5)),
  'putMany of known and new records': ({ store }) => store.putMany(records(3, 4)),
  'put with ifVersion': async ({ store }) =>
    store.put({ id: '0', content: 'tern' }, { ifVersion: (await store.get('0'))?.version }),
  'delete of a record': ({ store }) => store.delete('2'),
  clear: ({ store }) => store.clear(),
  'clear with descendants': ({ store }) => store.clear({ descendants: true }),
};

const reads: Record<string, (opened: Opened) => Promise<unknown>> = {
  getItems: ({ session }) => session.getItems(),
  'sessions.list': ({ sessions }) => sessions.list(),
  get: ({ store }) => store.get('1'),
  list: ({ store }) => store.list({ filter: { kind: 'bird' } }),
  search: ({ store }) => store.search('heron river'),
  'search with descendants': ({ store }) => store.search('heron river', { descendants: true }),
  namespaces: ({ store }) => store.namespaces(),
  compact: ({ store }) => store.compact(),
};

/**
 * The rows of all tables, without their times and the secret, which differs in each file, and without those that a clear()
 * has left, which nobody sees.
 */
function rowsOf(database: DatabaseSync): string {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const cleared = new Set(clearedIn(database));
  return tables
    .filter(({ name }) => name !== 'keepsake_cleared')
    .map(({ name }) => {
      const all = database.prepare(`SELECT * FROM ${name}`).all();
      const rows = all.filter(({ namespace }) => !cleared.has(namespace));
      return JSON.stringify([name, rows], (key, value) => (/_ms$|^cursor_secret$/.test(key) ? 0 : value));
    })
    .join('\n')
    .replace(TIMES, 'time')
    .replace(VERSIONS, '$1$2');
}

/** In the JSON of records: of versions, the count of puts stays. */
const VERSIONS = /(version\\*":)\d+(\d{6})(?=[,}])/g;
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function clearedIn(database: DatabaseSync) {
  return database
    .prepare('SELECT namespace FROM keepsake_cleared')
    .all()
    .map(({ namespace }) => namespace);
}

/** A filled database, through a wrapper that can fail. */
async function filled() {
  const real = new DatabaseSync(':memory:');
  const failing = failingDatabase(real);
  await fill(open(failing));
  return { real, failing };
}

/** The rows before and after a change that succeeds. */
async function expectedRows(change: (opened: Opened) => Promise<unknown>) {
  const { real, failing } = await filled();
  const before = rowsOf(real);
  const result = await change(open(failing));
  return { before, after: rowsOf(real), result: withoutTimes(result) };
}

function withoutTimes(value: unknown): string {
  const text = JSON.stringify(value, (key, part) => (/At$/.test(key) ? 0 : part)) ?? 'undefined';
  return text.replace(VERSIONS, '$1$2');
}

/** Lets each call of a change fail in turn, until it gets to its end without. Returns how many failed. */
async function failEach(errcode: number, change: (opened: Opened) => Promise<unknown>, check: Check): Promise<number> {
  const expected = await expectedRows(change);
  for (let failures = 0; ; failures++) {
    const { real, failing } = await filled();
    const opened = open(failing);
    failing.calls = 0;
    failing.fault = { call: failures * STEP, errcode };
    const outcome = await change(opened).then(
      (value) => ({ value: withoutTimes(value) }),
      (error: unknown) => ({ error }),
    );
    const isOver = failing.calls <= failures * STEP;
    failing.fault = undefined;
    if (isOver) {
      expect(outcome).toEqual({ value: expected.result });
      return failures;
    }
    check(outcome, { ...expected, now: rowsOf(real) });
    await useAgain(real, opened);
  }
}

interface Rows {
  readonly before: string;
  readonly after: string;
  readonly now: string;
  readonly result: string;
}
type Check = (outcome: { readonly value?: string; readonly error?: unknown }, rows: Rows) => void;

/** Fails unless the database can be used as before, through the same instances and by others. */
async function useAgain(real: DatabaseSync, { session, store }: Opened): Promise<void> {
  await session.addItems([{ after: true }]);
  await store.put({ id: 'after', content: 'kingfisher' });
  expect((await open(real).session.getItems(1))[0]).toEqual({ after: true });
  const words = new SqliteStore({ database: real, name: 'memory', namespace: ['a'] });
  expect((await words.search('kingfisher')).map(({ id }) => id)).toEqual(['after']);
  const { items } = await words.list({ limit: 100 });
  const found = await words.search('heron', { maxSearchResults: 100 });
  const herons = items.filter(({ content }) => content.includes('heron'));
  expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(herons.map(({ id }) => id)));
  await words.compact?.();
  expect(clearedIn(real)).toEqual([]);
  expect(real.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
}

describe('every n-th call of SQLite fails', () => {
  it.each([
    ['an I/O error', IO_ERROR],
    ['a full disk', FULL],
  ])('%s: a change is made or not, never in part, and the next one works', async (name, errcode) => {
    let failed = 0;
    for (const [change, make] of Object.entries(changes)) {
      failed += await failEach(errcode, make, ({ error, value }, { before, after, now, result }) => {
        if (value !== undefined) expect([change, value, now]).toEqual([change, result, after]);
        else expect(isMemoryError(error), `${change}: ${error}`).toBe(true);
        // Only emptying the log can fail after a change.
        expect([change, now]).toBeOneOf([
          [change, before],
          [change, after],
        ]);
        // The error must tell the caller which of the two it is.
        if (value === undefined) {
          expect([change, /The deletion is done/.test(String(error))]).toEqual([change, now === after]);
          expect([change, (error as MemoryError).retryable]).toEqual([change, undefined]);
        }
      });
    }
    expect(failed).toBeGreaterThan(20);
    figures.push(`${name} ${count(failed)} times`);
  });

  it('another connection has a lock: the change is made once, after a retry', async (context) => {
    let failed = 0;
    for (const [change, make] of [...Object.entries(changes), ...Object.entries(reads)]) {
      failed += await failEach(BUSY, make, ({ error, value }, { after, now, result }) => {
        expect([change, error]).toEqual([change, undefined]);
        expect([change, value, now]).toEqual([change, result, after]);
      });
    }
    expect(failed).toBeGreaterThan(40);
    const every = STEP === 1 ? 'every call' : `one call in ${STEP}`;
    const all = [...figures, `a lock ${count(failed)} times, each retried and made once`].join(', ');
    show(
      context,
      13,
      `in SQLite: ${every} fails in ${Object.keys(changes).length} kinds of changes and ${Object.keys(reads).length} of reads: ${all}; 0 changes in part, usable afterwards`,
    );
  });

  it.each([
    ['an I/O error', IO_ERROR],
    ['a full disk', FULL],
    ['a lock', BUSY],
  ])('%s during changes that share a transaction: those that resolve are made, and no others', async (_, errcode) => {
    let failed = 0;
    for (let call = 0; ; call += STEP) {
      const { real, failing } = await filled();
      const opened = open(failing);
      failing.calls = 0;
      failing.fault = { call, errcode };
      const appends = range(4).map((n) => opened.session.addItems([{ made: n }]));
      const puts = range(4).map((n) => opened.store.put({ id: `made ${n}`, content: 'tern' }));
      const outcomes = (await Promise.allSettled([...appends, ...puts])).map(({ status }) => status === 'fulfilled');
      if (failing.calls <= call) break;
      failing.fault = undefined;
      failed++;
      const items = await open(real).session.getItems();
      const words = new SqliteStore({ database: real, name: 'memory', namespace: ['a'] });
      const made = [
        ...range(4).map((n) => items.some((item) => item.made === n)),
        ...(await Promise.all(range(4).map(async (n) => (await words.get(`made ${n}`)) !== undefined))),
      ];
      expect([call, made]).toEqual([call, outcomes]);
      // Each call of SQLite is for one change or for all, and a transaction that fails is repeated change by change.
      expect(outcomes.filter((isMade) => !isMade).length).toBeLessThanOrEqual(errcode === BUSY ? 0 : 1);
      await useAgain(real, opened);
    }
    expect(failed).toBeGreaterThan(2);
  });

  it('a read fails with a MemoryError, and the next one works', async () => {
    for (const [read, make] of Object.entries(reads)) {
      await failEach(IO_ERROR, make, ({ error, value }, { before, now }) => {
        if (value === undefined) expect(isMemoryError(error, 'BACKEND'), `${read}: ${error}`).toBe(true);
        // A compaction notes up to which change no index may be saved, which loses nothing.
        const [told, known] = [now, before].map((rows) => rows.replaceAll(/"forgotten":\d+/g, '"forgotten":0'));
        expect([read, told]).toEqual([read, known]);
      });
    }
  });

  it('the first use fails, creates the tables as a whole or not at all, and the next one works', async () => {
    for (let call = 0; ; call++) {
      const real = new DatabaseSync(':memory:');
      const failing = failingDatabase(real);
      failing.fault = { call, errcode: IO_ERROR };
      const opened = open(failing);
      const error = await opened.session.addItems([{ n: 1 }]).catch((reason: unknown) => reason);
      if (failing.calls <= call) break;
      expect(isMemoryError(error, 'BACKEND'), `${error}`).toBe(true);
      expect(String((error as Error).cause)).toContain('injected');
      failing.fault = undefined;
      await opened.session.addItems([{ n: 2 }]);
      expect(await open(real).session.getItems()).toEqual([{ n: 2 }]);
    }
  });
});
