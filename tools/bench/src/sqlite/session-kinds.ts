import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FileSession } from '@keepsake/file';
import { type Durability, SqliteSession } from '@keepsake/sqlite';
import type { Field, SessionKind } from '../sessions/session-kind.ts';
import { textOf } from '../sessions/turn.ts';

/** SQLite's limit for no limit. */
const ALL = -1;

/** The kinds of sessions in an SQLite file, with a session in files beside them. */
export function sessionKinds(durability: Durability): Field {
  return { raw: rawInsert(durability), keepsake: sqliteSession(durability), peers: [fileSession(durability)] };
}

/** The raw limit: one prepared statement, without any other data of a session. */
function rawInsert(durability: Durability): SessionKind {
  const databases = new Map<string, DatabaseSync>();
  return {
    name: 'node:sqlite, prepared',
    layout: 'raw',
    async open(directory, begin = []) {
      const database = databases.get(directory) ?? new DatabaseSync(join(directory, 'raw.db'));
      databases.set(directory, database);
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'sync' ? 'FULL' : 'NORMAL'};
        CREATE TABLE IF NOT EXISTS raw_items (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, item TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS raw_items_session ON raw_items (session, seq)`);
      const insert = database.prepare('INSERT INTO raw_items (session, item) VALUES (?, ?), (?, ?)');
      const select = database.prepare('SELECT item FROM raw_items WHERE session = ? ORDER BY seq DESC LIMIT ?');
      const append: SessionAppend = ({ items: [question, answer] }) => {
        insert.run('chat', JSON.stringify(question), 'chat', JSON.stringify(answer));
        return undefined;
      };
      database.exec('BEGIN');
      for (const turn of begin) append(turn);
      database.exec('COMMIT');
      return {
        append,
        newest: async (count) =>
          select
            .all('chat', count === Infinity ? ALL : count)
            .reverse()
            .map(({ item }) => textOf(JSON.parse(item as string))),
      };
    },
  };
}

type SessionAppend = Awaited<ReturnType<SessionKind['open']>>['append'];

function sqliteSession(durability: Durability): SessionKind {
  return {
    name: 'SqliteSession',
    layout: 'sqlite',
    async open(directory, begin = []) {
      const session = new SqliteSession({ file: join(directory, 'memory.db'), sessionId: 'chat', durability });
      if (begin.length > 0) await session.addItems(begin.flatMap(({ items }) => items));
      return {
        append: ({ items }) => session.addItems(items),
        newest: async (count) => (await session.getItems(count)).map(textOf),
      };
    },
  };
}

function fileSession(durability: Durability): SessionKind {
  return {
    name: 'FileSession',
    layout: 'files',
    async open(directory, begin = []) {
      const session = new FileSession({ directory, sessionId: 'chat', durability });
      if (begin.length > 0) await session.addItems(begin.flatMap(({ items }) => items));
      return {
        append: ({ items }) => session.addItems(items),
        newest: async (count) => (await session.getItems(count)).map(textOf),
      };
    },
  };
}
