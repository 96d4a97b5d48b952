import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SqliteDatabase, SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { timesInBytes } from './raw-bytes.ts';
import { newFile } from './temporary-file.ts';

/** A database of the caller, with a table of theirs. */
function callersDatabase(file = ':memory:'): DatabaseSync {
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec("CREATE TABLE customers (name TEXT); INSERT INTO customers VALUES ('Ada'), ('Bob'), ('Eve')");
  database.exec("DELETE FROM customers WHERE name = 'Ada'");
  return database;
}

const open = (database: SqliteDatabase) => ({
  session: new SqliteSession({ database, sessionId: 's' }),
  store: new SqliteStore({ database, name: 'memory' }),
});

describe('a database of the caller', () => {
  it('is shared by sessions and stores, and keeps the tables of the caller', async () => {
    const database = callersDatabase();
    const { session, store } = open(database);
    await session.addItems([{ n: 1 }]);
    await store.put({ id: 'one', content: 'heron' });
    await store.compact();
    expect(await open(database).session.getItems()).toEqual([{ n: 1 }]);
    expect(await open(database).store.search('heron')).toHaveLength(1);
    // VACUUM would change these numbers.
    expect(database.prepare('SELECT rowid, name FROM customers').all()).toEqual([
      { rowid: 2, name: 'Bob' },
      { rowid: 3, name: 'Eve' },
    ]);
    const rows = database
      .prepare("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'keepsake\\_%' ESCAPE '\\'")
      .all();
    expect(rows.map(({ name }) => name).filter((name) => !/^sqlite_/.test(String(name)))).toEqual(['customers']);
  });

  it('in a transaction of the caller is refused, which changes nothing in it', async () => {
    const database = callersDatabase();
    const { session, store } = open(database);
    await session.addItems([{ n: 1 }]);
    await store.put({ id: 'one', content: 'heron' });
    database.exec("BEGIN; INSERT INTO customers VALUES ('Zoe')");
    const uses = [
      () => session.addItems([{ n: 2 }]),
      () => session.popItem(),
      () => session.clearSession(),
      () => store.put({ id: 'two', content: 'tern' }),
      () => store.delete('one'),
      () => store.clear(),
      () => store.search('heron'),
      () => new SqliteSessionStore({ database }).delete('s'),
      () => new SqliteSessionStore({ database }).compact(),
    ];
    for (const use of uses) {
      await expect(use(), String(use)).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringContaining('in a transaction of yours'),
      });
    }
    database.exec('COMMIT');
    expect(database.prepare('SELECT count(*) AS count FROM customers').get()).toEqual({ count: 3 });
    expect(await session.getItems()).toEqual([{ n: 1 }]);
    expect((await store.list()).items).toHaveLength(1);
  });

  it('whose first use is in a transaction of the caller is refused, and works afterwards', async () => {
    const database = callersDatabase();
    const { session } = open(database);
    database.exec('BEGIN');
    await expect(session.addItems([{ n: 1 }])).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    database.exec('ROLLBACK');
    await session.addItems([{ n: 2 }]);
    expect(await session.getItems()).toEqual([{ n: 2 }]);
  });

  it('that was opened for reading is read, and changes are refused', async () => {
    const file = newFile();
    const { session, store } = open(callersDatabase(file));
    await session.addItems([{ n: 1 }]);
    await store.put({ id: 'one', content: 'heron' });
    const database = new DatabaseSync(file, { readOnly: true });
    onTestFinished(() => database.close());
    const reading = open(database);
    expect(await reading.session.getItems()).toEqual([{ n: 1 }]);
    expect(await reading.store.search('heron')).toHaveLength(1);
    const refusal = { code: 'BACKEND', message: expect.stringContaining('read-only') };
    await expect(reading.session.addItems([{ n: 2 }])).rejects.toMatchObject(refusal);
    await expect(reading.store.put({ content: 'tern' })).rejects.toMatchObject(refusal);
  });

  it.each(['DELETE', 'WAL'])('with journal_mode %s works with another connection', async (mode) => {
    const file = newFile();
    const [one, other] = [callersDatabase(file), new DatabaseSync(file)];
    onTestFinished(() => other.close());
    one.exec(`PRAGMA journal_mode = ${mode}`);
    const sessions = [open(one).session, open(other).session];
    await Promise.all(Array.from({ length: 20 }, (_, n) => sessions[n % 2]?.addItems([{ n }, { n }])));
    const items = await sessions[0]?.getItems();
    expect(items).toHaveLength(40);
    expect(await sessions[1]?.getItems()).toEqual(items);
  });

  it('has no deleted text in its files after compact() and VACUUM', async () => {
    const file = newFile();
    const database = callersDatabase(file);
    database.exec('PRAGMA journal_mode = WAL');
    const { store } = open(database);
    const records = Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, content: `sentinel${n} ${'x'.repeat(n)}` }));
    await store.putMany(records);
    for (const { id } of records) await store.delete(id);
    await store.compact();
    database.exec('VACUUM');
    await store.compact();
    expect(timesInBytes(file, 'sentinel')).toBe(0);
  });
});
