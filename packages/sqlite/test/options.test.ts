import { DatabaseSync } from 'node:sqlite';
import Libsql from 'libsql';
import { expect, it } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';

const database = new DatabaseSync(':memory:');
const openers = [
  (options: object) => new SqliteSession(options),
  (options: object) => new SqliteSessionStore(options),
  (options: object) => new SqliteStore({ ...options, name: 'memory' }),
];

it.each([
  ['neither a file nor a database', {}, 'Pass either `file` or `database`.'],
  ['a file and a database', { file: 'memory.db', database }, 'Pass either `file` or `database`.'],
  ['an empty file', { file: ' ' }, '`file` must be the path of a file.'],
  ['a file with a NUL', { file: 'a\0.db' }, '`file` must be the path of a file.'],
  ['a file that is no text', { file: 7 }, '`file` must be the path of a file.'],
  ['memory', { file: ':memory:' }, 'For memory of this process, use @keepsake/in-memory.'],
  [
    'a database that is null',
    { database: null },
    '`database` must be one of node:sqlite, better-sqlite3, libsql or bun:sqlite, or a `ctx.storage`.',
  ],
  [
    'a class',
    { database: DatabaseSync },
    '`database` must be one of node:sqlite, better-sqlite3, libsql or bun:sqlite, or a `ctx.storage`.',
  ],
  ['an unknown durability', { file: 'memory.db', durability: 'fsync' }, "`durability` must be 'sync' or 'os'."],
  ['a durability that is null', { file: 'memory.db', durability: null }, "`durability` must be 'sync' or 'os'."],
])('the constructors refuse %s', (_, options, words) => {
  for (const open of openers) {
    expect(() => open(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(words) }),
    );
  }
});

it('the constructors refuse missing options', () => {
  for (const kind of [SqliteSession, SqliteSessionStore, SqliteStore]) {
    const open = () => new kind(undefined as unknown as { file: string; name: string });
    expect(open).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  }
});

it.each([
  ['a TTL of 0', { ttlMs: 0 }, '`ttlMs`'],
  ['a TTL that is no whole number', { ttlMs: 1.5 }, '`ttlMs`'],
  ['an unknown refresh', { ttlMs: 1, refresh: 'read' }, '`refresh`'],
  ["refresh: 'access' without a TTL", { refresh: 'access' }, '`ttlMs`'],
])('sessions refuse %s', (_, options, words) => {
  for (const kind of [SqliteSession, SqliteSessionStore]) {
    expect(() => new kind({ database, ...(options as object) })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(words) }),
    );
  }
});

it.each(['readBigInts', 'returnArrays'])(
  'a database that was opened with %s is refused at the first use',
  async (name) => {
    const session = new SqliteSession({ database: new DatabaseSync(':memory:', { [name]: true }) });
    await expect(session.addItems([{ n: 1 }])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(name),
    });
  },
);

it.each([
  ['node:sqlite', () => new DatabaseSync(':memory:')],
  ['libsql', () => new Libsql(':memory:')],
])('a database of %s that was closed is refused', async (_, open) => {
  const database = open();
  const session = new SqliteSession({ database });
  const refused = { code: 'BACKEND', message: expect.stringContaining('was closed'), cause: expect.any(Error) };
  await session.addItems([{ n: 1 }]);
  database.close();
  await expect(session.addItems([{ n: 2 }])).rejects.toMatchObject(refused);
  await expect(new SqliteStore({ database, name: 'memory' }).put({ content: 'heron' })).rejects.toMatchObject(refused);
});
