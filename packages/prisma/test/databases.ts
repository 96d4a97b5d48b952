import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { type PostgresServer, startPostgres } from '@keepsake/services';
import { failureOf, isCollision } from '@keepsake/sql';
import { byDay } from '@keepsake/testing/share';
import { createClient } from '@libsql/client';
import { Client } from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { afterAll, beforeAll } from 'vitest';
import type { PrismaLike } from '../src/index.ts';
import { connectTo } from './connect-to.ts';
import { PrismaClient } from './generated/postgresql/client.ts';

type Dialect = 'postgresql' | 'sqlite';

/** A database with Keepsake's tables. */
export interface Database {
  readonly dialect: Dialect;
  /** For the programs of a test. Empty for PGlite, which exists only in this process. */
  readonly url: string;
  /** A client of this database, generated for its dialect. */
  readonly prisma: PrismaClient;
  /** Another client with its own connections. `stop()` closes it. */
  connect(options?: { readonly connections?: number }): PrismaClient;
  stop(): Promise<void>;
}

const MIGRATIONS = { postgresql: '../../postgres/migrations', sqlite: '../migrations/sqlite' };
export const PARTITIONS = readFileSync(join(import.meta.dirname, 'partitions.sql'), 'utf8');

/** The migrations of a database, in order. */
function migrationsOf(dialect: Dialect): string[] {
  const folder = join(import.meta.dirname, MIGRATIONS[dialect]);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** A new database on a PostgreSQL server, which the caller stops. */
export async function postgresDatabase(server: PostgresServer, { migrated = true } = {}): Promise<Database> {
  const url = await server.createDatabase();
  if (migrated) await migratePostgres(url);
  return databaseOf('postgresql', url, () => Promise.resolve());
}

export async function migratePostgres(url: string, migrations = migrationsOf('postgresql')): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const migration of migrations) await client.query(migration);
  } finally {
    await client.end();
  }
}

/** A new database in its own file. */
export async function sqliteDatabase({ migrated = true } = {}): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-sqlite-'));
  const url = `file:${join(folder, 'test.db')}`;
  if (migrated) await migrateSqlite(url);
  return databaseOf('sqlite', url, () => rm(folder, { recursive: true }));
}

export async function migrateSqlite(url: string, migrations = migrationsOf('sqlite')): Promise<void> {
  const client = createClient({ url });
  try {
    await client.execute('PRAGMA journal_mode=WAL');
    for (const migration of migrations) await client.executeMultiple(migration);
  } finally {
    client.close();
  }
}

/** The tables in which migrations put nothing. */
const FILLED = [
  ...['sessions', 'items', 'operations', 'session_segments'],
  ...['namespaces', 'segments', 'records', 'cleared', 'indexes', 'pages'],
];

let pglite: Promise<PGlite> | undefined;

/**
 * The PostgreSQL in this process, with empty tables. All files that this process tests share it, because it takes
 * seconds to start. It ends with the process.
 */
async function pgliteDatabase(): Promise<Database> {
  pglite ??= startPGlite();
  const shared = await pglite;
  await shared.exec(`TRUNCATE ${FILLED.map((name) => `keepsake_${name}`)}`);
  const connect = () => new PrismaClient({ adapter: new PrismaPGlite(shared) });
  return { dialect: 'postgresql', url: '', prisma: connect(), connect, stop: async () => {} };
}

async function startPGlite(): Promise<PGlite> {
  const started = await PGlite.create();
  for (const migration of migrationsOf('postgresql')) await started.exec(migration);
  return started;
}

function databaseOf(dialect: Dialect, url: string, remove: () => Promise<void>): Database {
  const clients: PrismaClient[] = [];
  const connect = (options?: { readonly connections?: number }) => {
    const client = connectTo(url, options);
    clients.push(client);
    return client;
  };
  return {
    dialect,
    url,
    prisma: connect(),
    connect,
    async stop() {
      for (const client of clients) await client.$disconnect();
      await remove();
    },
  };
}

/** The databases that Keepsake supports. */
export type DatabaseKind = 'PostgreSQL' | 'partitioned PostgreSQL' | 'SQLite' | 'PGlite';

/** Options of tests that PostgreSQL passes by day. SQLite passes the same ones every night. */
export function nightlyOnSqlite(kind: DatabaseKind): { tags: string[] } {
  return { tags: kind === 'SQLite' ? ['nightly'] : [] };
}

/** What torture tests run on: by day SQLite, because those of `@keepsake/postgres` send PostgreSQL the same statements. */
export const TORTURED: readonly DatabaseKind[] = byDay<{ kinds: readonly DatabaseKind[] }>({ kinds: ['SQLite'] })
  .kinds ?? ['PostgreSQL', 'SQLite'];

/** A new database for the tests of a file. */
export function sharedDatabase(kind: DatabaseKind): { readonly database: Database; readonly server?: PostgresServer } {
  const shared: { database?: Database; server?: PostgresServer } = {};
  beforeAll(async () => {
    if (kind === 'PostgreSQL' || kind === 'partitioned PostgreSQL') {
      shared.server = await startPostgres();
      shared.database = await postgresDatabase(shared.server);
      if (kind === 'partitioned PostgreSQL') await migratePostgres(shared.database.url, [PARTITIONS]);
    } else {
      shared.database = await (kind === 'SQLite' ? sqliteDatabase() : pgliteDatabase());
    }
  });
  afterAll(async () => {
    await shared.database?.stop();
    await shared.server?.stop();
  });
  return shared as ReturnType<typeof sharedDatabase>;
}

/** A client whose connection can be broken. All calls then fail as if the server were gone. */
export function breakable(client: PrismaClient) {
  let broken = false;
  const gone = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  const prisma: PrismaLike = {
    $queryRawUnsafe: (query, ...values) => (broken ? gone() : client.$queryRawUnsafe(query, ...values)),
    $executeRawUnsafe: (query, ...values) => (broken ? gone() : client.$executeRawUnsafe(query, ...values)),
  };
  return {
    prisma,
    fail() {
      broken = true;
    },
    heal() {
      broken = false;
    },
  };
}

/** A client that records the codes of collisions. */
export function countingCollisions(client: PrismaLike) {
  const codes: string[] = [];
  const recording = async <T>(sent: PromiseLike<T>): Promise<T> => {
    try {
      return await sent;
    } catch (error) {
      if (isCollision(error)) codes.push(failureOf(error).code);
      throw error;
    }
  };
  const counting: PrismaLike = {
    $queryRawUnsafe: (query, ...values) => recording(client.$queryRawUnsafe(query, ...values)),
    $executeRawUnsafe: (query, ...values) => recording(client.$executeRawUnsafe(query, ...values)),
  };
  return { client: counting, codes };
}

/** Cuts the text of an item in half. 0 is the oldest item. */
export async function damageItem({ prisma }: Database, sessionId: string, index: number): Promise<void> {
  const { key } = await prisma.keepsakeSession.findUniqueOrThrow({ where: { id: sessionId } });
  const [found] = await prisma.keepsakeItem.findMany({
    where: { sessionKey: key },
    orderBy: { seq: 'asc' },
    skip: index,
    take: 1,
  });
  if (found === undefined) throw new Error(`The session has no item ${index}.`);
  const { sessionKey, seq, item } = found;
  const text = item.slice(0, item.length / 2);
  await prisma.keepsakeItem.update({ where: { sessionKey_seq: { sessionKey, seq } }, data: { item: text } });
}
