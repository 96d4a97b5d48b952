import { PrismaSession } from '@keepsake/prisma';
import type { Pool } from 'pg';
import type { Field, SessionKind } from '../sessions/session-kind.ts';
import { inPieces, type Turn, textOf } from '../sessions/turn.ts';
import { type BenchPrisma, nameOf, type PostgresDatabase, type SqliteDatabase } from './databases.ts';
import { examplePrismaSession } from './example-prisma-session.ts';

/** The kinds of sessions in PostgreSQL. They have a name instead of a directory. */
export async function postgresKinds(database: PostgresDatabase): Promise<Field> {
  await createRawItems(database);
  return {
    raw: rawPostgres(database),
    keepsake: prismaSession(database.preparing),
    peers: [
      plannedOnce(database),
      rawThroughPrisma(database, NEWEST),
      { ...prismaSession(database.prisma), name: 'PrismaSession, not prepared', column: 'Keepsake, not prepared' },
      examplePrismaSession(database),
    ],
  };
}

/** The same without peers. The raw limit also goes through Prisma, and its plans are as stable as Keepsake's. */
export function postgresKindsThroughPrisma(database: PostgresDatabase): Field {
  return { raw: rawThroughPrisma(database, PLANNED_ONCE), keepsake: prismaSession(database.preparing), peers: [] };
}

/** Creates the table of the raw limit. */
export async function createRawItems({ pool }: PostgresDatabase): Promise<void> {
  await pool.query(RAW_ITEMS);
}

/** The kinds of sessions in SQLite, likewise with a name. */
export async function sqliteKinds(database: SqliteDatabase): Promise<Field> {
  await database.client.execute(
    'CREATE TABLE raw_items (seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, item TEXT NOT NULL)',
  );
  await database.client.execute('CREATE INDEX raw_items_session ON raw_items (session, seq)');
  return { raw: rawSqlite(database), keepsake: prismaSession(database.prisma), peers: [] };
}

export const RAW_ITEMS =
  'CREATE TABLE raw_items (session text, seq bigserial, item text NOT NULL, PRIMARY KEY (session, seq))';

/** Runs a statement and returns its rows. */
export type Send = (text: string, values: readonly unknown[]) => PromiseLike<readonly { readonly item: string }[]>;

const NEWEST = 'SELECT item FROM raw_items WHERE session = $1 ORDER BY seq DESC LIMIT $2';
/**
 * The same, but with the number of items hidden from PostgreSQL, which would otherwise make a new plan each time. Keepsake
 * does the same.
 */
const PLANNED_ONCE = NEWEST.replace('$2', '(SELECT $2::bigint)');

/** The raw limit: one prepared statement of the driver, without any other data of a session. */
function rawPostgres({ pool }: PostgresDatabase): SessionKind {
  return rawSession('pg, prepared', sendBy(pool));
}

/** The same through any driver. */
export function rawSession(name: string, send: Send, prefix?: string): SessionKind {
  return { name, open: openRaw(send, NEWEST, prefix) };
}

function plannedOnce({ pool }: PostgresDatabase): SessionKind {
  return { name: 'pg, planned once', open: openRaw(sendBy(pool), PLANNED_ONCE, 'planned ') };
}

/** The same statements through Prisma, to show the cost of Prisma itself. */
function rawThroughPrisma({ preparing }: PostgresDatabase, newest: string): SessionKind {
  const send: Send = (text, values) => preparing.$queryRawUnsafe(text, ...values);
  return { name: 'raw SQL through Prisma', open: openRaw(send, newest, 'prisma ') };
}

export function sendBy(pool: Pool): Send {
  return async (text, values) => {
    const { rows } = await pool.query<{ item: string }>({ name: nameOf(text), text, values: [...values] });
    return rows;
  };
}

function openRaw(send: Send, newest: string, prefix = ''): SessionKind['open'] {
  return async (name, begin = []) => {
    const session = `${prefix}${name}`;
    const append = (turns: readonly Turn[]) =>
      send('INSERT INTO raw_items (session, item) SELECT $1, unnest($2::text[])', [session, textsOf(turns)]);
    for (const piece of inPieces(begin)) await append(piece);
    return {
      append: async (turn) => void (await append([turn])),
      async newest(count) {
        // Reading all uses a separate statement, because PostgreSQL's plan for a prepared one depends on its first use.
        const rows = await (count === Infinity
          ? send('SELECT item FROM raw_items WHERE session = $1 ORDER BY seq DESC', [session])
          : send(newest, [session, count]));
        return rows.toReversed().map(({ item }) => textOf(JSON.parse(item)));
      },
    };
  };
}

/** The raw limit: one unprepared statement of the driver. */
function rawSqlite({ client }: SqliteDatabase): SessionKind {
  return {
    name: 'libSQL',
    async open(session, begin = []) {
      const append = (turns: readonly Turn[]) => {
        const texts = textsOf(turns);
        const rows = texts.map((_, index) => `(?1, ?${index + 2})`);
        return client.execute({
          sql: `INSERT INTO raw_items (session, item) VALUES ${rows.join(', ')}`,
          args: [session, ...texts],
        });
      };
      for (const piece of inPieces(begin)) await append(piece);
      return {
        append: async (turn) => void (await append([turn])),
        async newest(count) {
          const { rows } = await client.execute({
            sql: 'SELECT item FROM raw_items WHERE session = ?1 ORDER BY seq DESC LIMIT ?2',
            args: [session, Math.min(count, ALL)],
          });
          return rows.toReversed().map(({ item }) => textOf(JSON.parse(String(item))));
        },
      };
    },
  };
}

function prismaSession(prisma: BenchPrisma): SessionKind {
  return {
    name: 'PrismaSession',
    async open(_, begin = []) {
      const session = new PrismaSession({ prisma });
      for (const piece of inPieces(begin)) await session.addItems(piece.flatMap(({ items }) => items));
      return {
        append: ({ items }) => session.addItems(items),
        newest: async (count) => (await session.getItems(count)).map(textOf),
      };
    },
  };
}

/** More than the items of any session. */
const ALL = Number.MAX_SAFE_INTEGER;

function textsOf(turns: readonly Turn[]): string[] {
  return turns.flatMap(({ items }) => items.map((item) => JSON.stringify(item)));
}
