import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { stepClock } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Database } from '../src/database/database.ts';
import { connectToFile } from '../src/file/open-file.ts';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { timesInBytes } from './raw-bytes.ts';
import { newFile } from './temporary-file.ts';

/** Few, with long metadata, because what is not searched is stored sooner. */
const RECORDS = 100;
const records = (word: string) =>
  Array.from({ length: RECORDS }, (_, n) => ({
    id: `${word} ${n}`,
    content: `${word}${n}`,
    metadata: { text: `${word}${n} flies low. `.repeat(1_000) },
  }));

/** A store that a thread compacts, because rewriting its file takes long. */
async function bigStore() {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
  await store.putMany(records('heron'));
  await store.putMany(records('sentinel'));
  for (const { id } of records('sentinel')) await store.delete(id);
  return { file, store };
}

/** How often the event loop turns until a call is done. */
async function turnsDuring(call: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await call;
  isDone = true;
  return turns;
}

it('the event loop turns and reads go on during compact()', () => turnsDuringLong('compact'));

// Both have the same thread.
it('the event loop turns and reads go on during backup()', { tags: ['nightly'] }, () => turnsDuringLong('backup'));

async function turnsDuringLong(call: 'compact' | 'backup'): Promise<void> {
  const { store } = await bigStore();
  const done = call === 'compact' ? store.compact() : store.backup(newFile());
  const found = Promise.all([store.get('heron 7'), store.search('heron7')]);
  // Without a thread there is no turn, or one or two with other work.
  expect(await turnsDuring(done)).toBeGreaterThan(20);
  expect(await found).toMatchObject([{ id: 'heron 7' }, [{ id: 'heron 7' }]]);
}

it('the event loop turns and reads go on while delete() of a session empties a long log', async () => {
  const file = newFile();
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  await sessions.open('kept').addItems([{ text: 'heron' }]);
  await sessions.open('gone').addItems(Array.from({ length: 100 }, () => ({ text: 'sentinel '.repeat(10_000) })));
  const deleted = sessions.delete('gone');
  const read = sessions.open('kept').getItems();
  expect(await turnsDuring(deleted)).toBeGreaterThan(20);
  expect(await read).toEqual([{ text: 'heron' }]);
  expect(timesInBytes(file, 'sentinel')).toBe(0);
  expect(statSync(`${file}-wal`).size).toBe(0);
});

it('the log of a file that is written to again and again is copied to the database, and does not grow with it', {
  tags: ['nightly'],
}, async () => {
  const file = newFile();
  const session = new SqliteSessionStore({ file, durability: 'os' }).open('s');
  const text = 'heron '.repeat(70_000);
  const count = 800;
  for (let n = 0; n < count; n++) await session.addItems([{ n, text }]);
  expect(statSync(`${file}-wal`).size).toBeLessThan((count * text.length) / 2);
  expect((await session.getItems(2)).map(({ n }) => n)).toEqual([count - 2, count - 1]);
});

it.each([
  ['a thread', 0],
  ['a thread that takes long to end', 200],
])('changes wait while %s copies a log that grows faster', async (_, endsAfterMs) => {
  const { postMessage } = Worker.prototype;
  const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message) {
    if (message.sql === undefined) setTimeout(() => postMessage.call(this, message), endsAfterMs);
    else postMessage.call(this, message);
  });
  onTestFinished(() => post.mockRestore());
  const file = newFile();
  const database = new Database(connectToFile(file, 'os'), file, 50);
  await database.write((connection) => connection.execute('CREATE TABLE texts (text TEXT)'));
  // As if each change came long after the one before, so that each looks at the log.
  stepClock(60);
  const text = 'heron '.repeat(7_000);
  const count = 100;
  for (let n = 0; n < count; n++) {
    await database.write((connection) => connection.run('INSERT INTO texts VALUES (?)', text));
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan((count * text.length) / 2);
  const sql = 'SELECT count(*) AS count FROM texts WHERE text = ?';
  expect(await database.read((connection) => connection.first(sql, text))).toEqual({ count });
});

it('clear() empties a log that a thread copies to the database at that time', async () => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
  // Longer than the log may become before it is copied, together.
  const metadata = { text: 'sentinel '.repeat(6_500) };
  for (let round = 0; round < rounds(3); round++) {
    await store.putMany(Array.from({ length: 350 }, (_, n) => ({ id: `${n}`, content: 'heron', metadata })));
    expect(await store.clear()).toBe(350);
    expect(timesInBytes(file, 'sentinel')).toBe(0);
    expect(statSync(`${file}-wal`).size).toBe(0);
  }
});

it('changes during compact() wait for it, and no deleted text is left', async () => {
  const { file, store } = await bigStore();
  const other = store.within(['other']);
  const order: string[] = [];
  await Promise.all([
    store.compact().then(() => order.push('compacted')),
    ...['a', 'b'].map((id) => other.put({ id, content: 'tern' }).then(() => order.push(id))),
    store.compact().then(() => order.push('compacted')),
  ]);
  expect(order.toSorted()).toEqual(['a', 'b', 'compacted', 'compacted']);
  expect((await other.list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(timesInBytes(file, 'sentinel')).toBe(0);
  expect(await store.search('sentinel7')).toEqual([]);
  expect((await store.list({ limit: 1_000 })).items).toHaveLength(RECORDS);
});

it('compact() rewrites a file again only after a change, also one of another connection', async () => {
  const { file, store } = await bigStore();
  await store.compact();
  const written = () => statSync(file, { bigint: true }).mtimeNs;
  const before = written();
  await store.compact();
  expect(written()).toBe(before);
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec("PRAGMA secure_delete = OFF; DELETE FROM keepsake_records WHERE id LIKE 'heron 9%'");
  expect(timesInBytes(file, 'heron99')).toBeGreaterThan(0);
  await store.compact();
  expect(other.prepare('PRAGMA freelist_count').get()).toEqual({ freelist_count: 0 });
  expect(written()).not.toBe(before);
});

it('a compact() that fails on its thread rejects with the error of SQLite, and changes go on', async () => {
  const { file, store } = await bigStore();
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  await expect(store.compact()).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true, cause: { errcode: 5 } });
  other.exec('ROLLBACK');
  expect(await store.put({ id: 'later', content: 'tern' })).toMatchObject({ version: putTimes(1) });
});
