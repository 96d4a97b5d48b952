import { CONCERNS_OF_CONNECTIONS, describeWholeKit } from '@keepsake/suites/whole-kit';
import { byDay } from '@keepsake/testing/share';
import Libsql from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

describeWholeKit({
  describe,
  it,
  name: 'SQLite through libsql',
  capabilities: new SqliteStore({ file: 'nowhere.db', name: 'memory' }).capabilities,
  place() {
    const database = new Libsql(':memory:');
    return {
      store: (options) => new SqliteStore({ database, name: 'memory', ...options }),
      session: (sessionId) => new SqliteSession({ database, sessionId }),
      sessions: () => new SqliteSessionStore({ database }),
      close: () => {
        database.close();
      },
    };
  },
  // Every night, the whole kit.
  ...byDay({ concerns: CONCERNS_OF_CONNECTIONS }),
});

/** A connection to a file, closed at the end of the test. */
function opened(file = newFile()): Libsql.Database {
  const database = new Libsql(file);
  onTestFinished(() => {
    database.close();
  });
  return database;
}

function fail(message: string): never {
  throw new Error(message);
}

describe('a database of libsql', () => {
  it('in a transaction of the caller is refused, which changes nothing in it', async () => {
    const database = opened();
    const session = new SqliteSession({ database, sessionId: 's' });
    await session.addItems([{ n: 1 }]);
    database.exec('BEGIN');
    await expect(session.addItems([{ n: 2 }])).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    database.exec('ROLLBACK');
    await session.addItems([{ n: 3 }]);
    expect(await session.getItems()).toEqual([{ n: 1 }, { n: 3 }]);
  });

  it('waits for the lock of another connection', async () => {
    const file = newFile();
    const [one, other] = [opened(file), opened(file)];
    const session = new SqliteSession({ database: one, sessionId: 's' });
    await session.addItems([{ n: 1 }]);
    other.exec('BEGIN IMMEDIATE');
    const added = session.addItems([{ n: 2 }]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    other.exec('COMMIT');
    await added;
    expect(await session.getItems()).toHaveLength(2);
  });

  it('that reads integers as BigInts is refused', async () => {
    const database = opened();
    database.defaultSafeIntegers(true);
    const store = new SqliteStore({ database, name: 'memory' });
    await expect(store.put({ content: 'heron' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it.each([
    ['on a server', () => new Libsql('http://127.0.0.1:1')],
    // A replica can be opened only with a server.
    ['that is a replica', () => Object.assign(opened(), { sync: () => ({ frame_no: 1, frames_synced: 0 }) })],
    ['that is a replica without its server', () => Object.assign(opened(), { sync: () => fail('sync error') })],
  ])('%s is refused', async (_, open) => {
    const database = open();
    const refused = {
      code: 'UNSUPPORTED',
      message: expect.stringMatching(/must be a local file.*@keepsake\/postgres/),
    };
    const store = new SqliteStore({ database, name: 'memory' });
    for (let call = 0; call < 2; call++) await expect(store.put({ content: 'heron' })).rejects.toMatchObject(refused);
    await expect(new SqliteSession({ database, sessionId: 's' }).getItems()).rejects.toMatchObject(refused);
  });

  it('is copied by backup(), and compact() erases what was deleted', async () => {
    const store = new SqliteStore({ database: opened(), name: 'memory' });
    await store.put({ id: 'one', content: 'heron' });
    await store.delete('one');
    await store.put({ id: 'two', content: 'tern' });
    await store.compact();
    const copy = newFile();
    await store.backup(copy);
    expect((await new SqliteStore({ file: copy, name: 'memory' }).list()).items).toHaveLength(1);
  });
});

describe('an asynchronous database', () => {
  const prepare = () => ({});
  it.each([
    ['D1', { prepare, batch: async () => [], exec: async () => ({}) }],
    ['@libsql/client', { execute: async () => ({}), batch: async () => [], transaction: async () => ({}) }],
  ])('such as %s is refused', (_, database) => {
    expect(() => new SqliteStore({ database: database as never, name: 'memory' })).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED', message: expect.stringContaining('must be synchronous') }),
    );
  });
});
