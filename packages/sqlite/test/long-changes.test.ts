import { readFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Embedder } from '@keepsake/core';
import { stepClock } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

/** More than half of the time after which the event loop turns. */
const STEP_MS = 6;

/** So many short records that writing them takes many turns of the event loop. */
const RECORDS = 2_000;
const batch = (word: string) => Array.from({ length: RECORDS }, (_, n) => ({ id: `${n}`, content: `${word} w${n}` }));

function openStore() {
  const file = newFile();
  return { file, store: new SqliteStore({ file, name: 'memory', durability: 'os' }) };
}

const TABLES = ['namespaces', 'records', 'indexes', 'pages', 'cleared'].map((name) => `keepsake_${name}`);
const NO_ROWS = Object.fromEntries(TABLES.map((table) => [table, 0]));

/** How many rows each table for records has. */
function rowsOf(database: DatabaseSync): Record<string, unknown> {
  return Object.fromEntries(
    TABLES.map((table) => [table, database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count]),
  );
}

/** Calls `look` in each turn of the event loop until a call is done. Returns what it saw. */
async function seenDuring<T>(call: Promise<unknown>, look: () => Promise<T>): Promise<T[]> {
  const seen: T[] = [];
  let isDone = false;
  const done = call.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    seen.push(await look());
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  return seen;
}

it('reads and other connections see all records of a batch or none, and go on while it is written', async () => {
  const { file, store } = openStore();
  await store.putMany(batch('heron'));
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  const terns = other.prepare("SELECT count(*) AS count FROM keepsake_records WHERE json LIKE '%tern%'");
  stepClock(0.5);
  const seen = await seenDuring(store.putMany(batch('tern')), async () => {
    // Called together, so that the event loop does not turn between them.
    const [first, last] = await Promise.all([store.get('0'), store.get(`${RECORDS - 1}`)]);
    return `${first?.content} ${last?.content} ${terns.get()?.count}`;
  });
  const [before, after] = [`heron w0 heron w${RECORDS - 1} 0`, `tern w0 tern w${RECORDS - 1} ${RECORDS}`];
  expect(seen.filter((one) => one === before).length).toBeGreaterThan(20);
  expect(seen.filter((one) => one !== before && one !== after)).toEqual([]);
  expect(await store.search('heron')).toEqual([]);
  expect(await store.search('tern', { maxSearchResults: 1_000 })).toHaveLength(1_000);
});

it('clear() takes away all records at once, and then removes their rows in many transactions', async () => {
  const { file, store } = openStore();
  const places = ['a', 'b', 'c', 'd'].map((name) => store.within([name]));
  for (const place of places) await place.putMany(batch('heron'));
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  const version = other.prepare('PRAGMA data_version');
  stepClock(STEP_MS);
  const cleared = store.clear({ descendants: true });
  const versions = seenDuring(cleared, async () => version.get()?.data_version);
  const seen = await seenDuring(cleared, async () => ({
    counts: (await store.namespaces()).items.map((one) => one.recordCount),
    found: (await store.search('heron', { descendants: true, maxSearchResults: 1 })).length,
  }));
  expect(await cleared).toBe(4 * RECORDS);
  const all = String(places.map(() => RECORDS));
  expect([all, '']).toEqual(expect.arrayContaining(seen.map(({ counts }) => String(counts))));
  expect(seen.filter(({ counts, found }) => counts.length === 0 && found > 0)).toEqual([]);
  // Each transaction changes the version that other connections see.
  expect(new Set(await versions).size).toBeGreaterThan(3);
  expect(rowsOf(other)).toEqual(NO_ROWS);
});

describe('rows that a killed clear() has left', () => {
  /** A file with 100 records in a namespace that is gone, and a record in another. */
  async function leftBehind() {
    const { file, store } = openStore();
    await store.putMany(batch('heron').slice(0, 100));
    await store.within(['other']).put({ id: 'kept', content: 'heron' });
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec(`BEGIN IMMEDIATE;
      INSERT INTO keepsake_cleared SELECT namespace FROM keepsake_namespaces WHERE path = '';
      DELETE FROM keepsake_namespaces WHERE path = '';
      COMMIT`);
    return { file, store, other };
  }

  it('are not seen', async () => {
    const { store } = await leftBehind();
    expect(await store.get('7')).toBeUndefined();
    expect((await store.list()).items).toEqual([]);
    expect((await store.search('heron', { descendants: true })).map(({ id }) => id)).toEqual(['kept']);
    expect(await store.put({ id: '7', content: 'tern' })).toMatchObject({ version: putTimes(1) });
    expect(await store.search('heron')).toEqual([]);
  });

  it.each([
    ['clear()', (_: string, store: SqliteStore) => store.clear()],
    ['compact() of another namespace', (_: string, store: SqliteStore) => store.within(['third']).compact?.()],
    ['compact() of the sessions', (file: string) => new SqliteSessionStore({ file }).compact()],
  ])('are removed by %s', async (_name, remove) => {
    const { file, store, other } = await leftBehind();
    await remove(file, store);
    expect(rowsOf(other).keepsake_records).toBe(1);
    expect(rowsOf(other).keepsake_cleared).toBe(0);
    expect(readFileSync(file).includes('heron w7')).toBe(false);
    expect((await store.search('heron', { descendants: true })).map(({ id }) => id)).toEqual(['kept']);
  });
});

it('reads see all items of a long session until it is deleted, and go on meanwhile', async () => {
  const file = newFile();
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  const items = Array.from({ length: 20 * RECORDS }, (_, n) => ({ n, text: 'heron' }));
  await sessions.open('long').addItems(items);
  await sessions.open('other').addItems([{ n: 1 }]);
  stepClock(STEP_MS);
  const deleted = sessions.delete('long');
  const seen = await seenDuring(deleted, async () => (await sessions.list()).items.map((one) => one.itemCount).sort());
  expect(await deleted).toBe(true);
  expect(seen.filter((counts) => counts.length === 2).length).toBeGreaterThan(5);
  expect(new Set(seen.map(String))).toEqual(new Set([`1,${items.length}`, '1']));
  expect(await sessions.open('long').getItems()).toEqual([]);
});

it('a long session that has expired is removed in turns by the first items of the next', async () => {
  const file = newFile();
  const mortal = new SqliteSessionStore({ file, durability: 'os', ttlMs: 1 });
  const items = Array.from({ length: 20 * RECORDS }, (_, n) => ({ n }));
  await mortal.open('long').addItems(items);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const session = new SqliteSession({ file, durability: 'os', sessionId: 'long' });
  stepClock(STEP_MS);
  const seen = await seenDuring(session.addItems([{ n: 1 }]), async () => (await session.getItems()).length);
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.filter((count) => count > 1)).toEqual([]);
  expect(await session.getItems()).toEqual([{ n: 1 }]);
});

it('many items of one call are added in turns, and seen together', async () => {
  const session = new SqliteSession({ file: newFile(), durability: 'os', sessionId: 'long' });
  const items = Array.from({ length: 20 * RECORDS }, (_, n) => ({ n }));
  stepClock(STEP_MS);
  const seen = await seenDuring(session.addItems(items), async () => (await session.getItems(2)).length);
  expect(seen.filter((count) => count === 0).length).toBeGreaterThan(5);
  expect(await session.getItems()).toEqual(items);
});

it('a search goes on in turns while it reads and compares many vectors', async () => {
  const embedder: Embedder = {
    id: 'lengths',
    dimensions: 256,
    embed: async (texts) =>
      texts.map((text) => Float32Array.from({ length: 256 }, (_, n) => Math.sin(text.length * n))),
  };
  const file = newFile();
  const open = () => new SqliteStore({ file, name: 'memory', durability: 'os', embedder });
  await open().putMany(batch('heron'));
  const store = open();
  stepClock(STEP_MS);
  const search = store.search('heron', { maxSearchResults: 1 });
  expect((await seenDuring(search, async () => 'turn')).length).toBeGreaterThan(8);
  expect(await search).toHaveLength(1);
  await store.delete('7');
  await store.delete('8');
  expect((await store.search('heron', { maxSearchResults: RECORDS })).map(({ id }) => id)).not.toContain('8');
});

it('changes that are called during a batch are made after it, in the order of the calls', async () => {
  const { file, store } = openStore();
  const session = new SqliteSession({ file, durability: 'os', sessionId: 's' });
  const order: string[] = [];
  const note = (name: string) => (): void => void order.push(name);
  const first = store.putMany(batch('heron')).then(note('first'));
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([
    first,
    session.addItems([{ n: 1 }]).then(note('item')),
    store.putMany(batch('tern')).then(note('second')),
    store.put({ id: '7', content: 'gull' }).then(note('put')),
    session.addItems([{ n: 2 }]).then(note('other item')),
  ]);
  expect(order.filter((name) => /item/.test(name))).toEqual(['item', 'other item']);
  expect(order.filter((name) => !/item/.test(name))).toEqual(['first', 'second', 'put']);
  expect(await store.get('7')).toMatchObject({ content: 'gull', version: putTimes(3) });
  expect(await session.getItems()).toEqual([{ n: 1 }, { n: 2 }]);
});

it('a batch that fails halfway changes nothing, and the next change is made', async () => {
  const { file, store } = openStore();
  await store.putMany(batch('heron'));
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec(`UPDATE keepsake_records SET json = '{' WHERE id = '${RECORDS - 10}'`);
  await expect(store.putMany(batch('tern'))).rejects.toMatchObject({ code: 'CORRUPT' });
  await expect(store.search('tern')).rejects.toMatchObject({ code: 'CORRUPT' });
  expect(await store.get('0')).toMatchObject({ content: 'heron w0', version: putTimes(1) });
  expect(await store.put({ id: '0', content: 'gull' })).toMatchObject({ version: putTimes(2) });
});

it('a batch waits for the lock of another connection, and is then made', async () => {
  const { file, store } = openStore();
  await store.put({ id: 'one', content: 'heron' });
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE; UPDATE keepsake_records SET json = replace(json, 'heron', 'gull')");
  const put = store.putMany(batch('tern'));
  const seen = await seenDuring(new Promise((resolve) => setTimeout(resolve, 100)), () => store.get('0'));
  expect(seen.filter((one) => one !== undefined)).toEqual([]);
  other.exec('COMMIT');
  expect(await put).toHaveLength(RECORDS);
  expect((await store.search('gull tern', { maxSearchResults: 1 })).length).toBe(1);
  expect(await store.get('one')).toMatchObject({ content: 'gull' });
});

it('a batch fails if its file is removed meanwhile, and the next change is made in a new file', async () => {
  const { file, store } = openStore();
  const other = new SqliteStore({ file: newFile(), name: 'memory' });
  await store.put({ id: 'one', content: 'heron' });
  await other.backup(`${file}.new`);
  const put = store.putMany(batch('tern')).then(
    () => 'made',
    ({ code }) => code,
  );
  await new Promise((resolve) => setImmediate(resolve));
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`);
  renameSync(`${file}.new`, file);
  expect(await store.get('one')).toBeUndefined();
  expect(await put).toBeOneOf(['BACKEND', 'made']);
  await store.put({ id: 'two', content: 'gull' });
  expect((await store.list()).items.map(({ id }) => id)).toContain('two');
});
