import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type SqliteDatabase, SqliteSession } from '@keepsake/sqlite';
import { installApart } from '@keepsake/testing/install-apart';
import Libsql from 'libsql';
import type { RunOptions } from '../area.ts';
import { sessionRows } from '../backends/session-rows.ts';
import type { Row } from '../row.ts';
import type { Scale } from '../sessions/scale.ts';
import type { SessionKind } from '../sessions/session-kind.ts';
import { textOf } from '../sessions/turn.ts';

interface OpenDatabase extends SqliteDatabase {
  close(): unknown;
}

const BETTER_SQLITE3 = join(import.meta.dirname, '../../../runtimes/better-sqlite3');
const TARGETS = { append: { atLeast: 0.8 }, newest: { atLeast: 0.8 } };
/** SQLite's limit for no limit. */
const ALL = -1;

/** Sessions in a `database` of each driver, beside prepared statements of the same one. Each waits for the disk. */
export async function driverRows(scale: Scale, directory: string, say: RunOptions['say']): Promise<Row[]> {
  const modules = await installApart(BETTER_SQLITE3);
  const BetterSqlite3 = createRequire(join(modules, 'x.js'))('better-sqlite3') as new (file: string) => OpenDatabase;
  const rows: Row[] = [];
  for (const [driver, Database] of [
    ['node:sqlite', DatabaseSync],
    ['better-sqlite3', BetterSqlite3],
    ['libsql', Libsql],
  ] as const) {
    const [raw, own] = ['raw', 'keepsake'].map((name) => {
      const database: OpenDatabase = new Database(join(directory, `${driver.replace(':', '-')}-${name}.db`));
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      return database;
    }) as [OpenDatabase, OpenDatabase];
    const field = { raw: prepared(driver, raw), keepsake: sessionIn(own), peers: [] };
    const measured = await sessionRows(field, scale, TARGETS, (what) => say(`${driver}: ${what}`));
    rows.push(...measured.map((row) => ({ ...row, measure: `database of ${driver}, ${row.measure}` })));
    raw.close();
    own.close();
  }
  return rows;
}

/** The raw limit: one prepared statement, without any other data of a session. */
function prepared(driver: string, database: SqliteDatabase): SessionKind {
  database.exec(`CREATE TABLE raw_items (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, item TEXT NOT NULL);
    CREATE INDEX raw_items_session ON raw_items (session, seq)`);
  const insert = database.prepare('INSERT INTO raw_items (session, item) VALUES (?, ?), (?, ?)');
  const select = database.prepare('SELECT item FROM raw_items WHERE session = ? ORDER BY seq DESC LIMIT ?');
  return {
    name: `${driver}, prepared`,
    async open(name, begin = []) {
      const append: Awaited<ReturnType<SessionKind['open']>>['append'] = ({ items: [question, answer] }) => {
        insert.run(name, JSON.stringify(question), name, JSON.stringify(answer));
        return undefined;
      };
      database.exec('BEGIN');
      for (const turn of begin) append(turn);
      database.exec('COMMIT');
      return {
        append,
        async newest(count) {
          const rows = select.all(name, count === Infinity ? ALL : count) as { item: string }[];
          return rows.toReversed().map(({ item }) => textOf(JSON.parse(item)));
        },
      };
    },
  };
}

function sessionIn(database: SqliteDatabase): SessionKind {
  return {
    name: 'SqliteSession',
    async open(sessionId, begin = []) {
      const session = new SqliteSession({ database, sessionId });
      if (begin.length > 0) await session.addItems(begin.flatMap(({ items }) => items));
      return {
        append: ({ items }) => session.addItems(items),
        newest: async (count) => (await session.getItems(count)).map(textOf),
      };
    },
  };
}
