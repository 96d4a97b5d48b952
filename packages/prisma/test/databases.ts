import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { type PostgresServer, startPostgres } from '@keepsake/services';
import { createClient } from '@libsql/client';
import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaPg } from '@prisma/adapter-pg';
import { Client } from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { afterAll, beforeAll } from 'vitest';
import { PrismaClient } from './generated/postgresql/client.ts';
import { PrismaClient as SqliteClient } from './generated/sqlite/client.ts';

export type Dialect = 'postgresql' | 'sqlite';

/** A database with the tables of Keepsake in it. */
export interface Database {
  readonly dialect: Dialect;
  /** Where the programs of a test find it; PGlite is in this process alone. */
  readonly url: string;
  /** A client on it, generated for it. */
  readonly prisma: PrismaClient;
  /** Another client, with connections of its own. `stop()` closes it. */
  connect(options?: { readonly connections?: number }): PrismaClient;
  stop(): Promise<void>;
}

const MIGRATIONS = join(import.meta.dirname, '../migrations');

/** The migrations of a database, in their order. */
export function migrationsOf(what: Dialect | 'postgresql-vectors'): string[] {
  const folder = join(MIGRATIONS, what);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** A new database on a PostgreSQL server, which the caller stops; without the migrations where they are not wanted. */
export async function postgresDatabase(server: PostgresServer, { migrated = true } = {}): Promise<Database> {
  const url = await server.createDatabase();
  if (migrated) await migratePostgres(url);
  return databaseOf('postgresql', url, () => Promise.resolve());
}

export async function migratePostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const migration of migrationsOf('postgresql')) await client.query(migration);
  } finally {
    await client.end();
  }
}

/** A new database in a file of its own; without the migrations where they are not wanted. */
export async function sqliteDatabase({ migrated = true } = {}): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-sqlite-'));
  const url = `file:${join(folder, 'test.db')}`;
  if (migrated) await migrateSqlite(url);
  return databaseOf('sqlite', url, () => rm(folder, { recursive: true }));
}

export async function migrateSqlite(url: string): Promise<void> {
  const client = createClient({ url });
  try {
    await client.execute('PRAGMA journal_mode=WAL');
    for (const migration of migrationsOf('sqlite')) await client.executeMultiple(migration);
  } finally {
    client.close();
  }
}

/** A new PostgreSQL within this process, with pgvector. */
export async function pgliteDatabase(): Promise<Database> {
  const pglite = await PGlite.create({ extensions: { vector } });
  for (const migration of [...migrationsOf('postgresql'), ...migrationsOf('postgresql-vectors')]) {
    await pglite.exec(migration);
  }
  const connect = () => new PrismaClient({ adapter: new PrismaPGlite(pglite) });
  return { dialect: 'postgresql', url: '', prisma: connect(), connect, stop: () => pglite.close() };
}

/** A client of the database at a URL. To the eye of a test, that of SQLite is the same. */
export function connectTo(url: string, { connections = 10 } = {}): PrismaClient {
  return url.startsWith('file:')
    ? (new SqliteClient({ adapter: new PrismaLibSql({ url }) }) as unknown as PrismaClient)
    : new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: connections }) });
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

/** Where the tests of a file run: each database that Keepsake promises to work on. */
export type Place = 'PostgreSQL' | 'SQLite' | 'PGlite';

/** A new database for the tests of a file, which ends with them. */
export function sharedDatabase(place: Place): { readonly database: Database } {
  const shared: { database?: Database; server?: PostgresServer } = {};
  beforeAll(async () => {
    if (place === 'PostgreSQL') {
      shared.server = await startPostgres();
      shared.database = await postgresDatabase(shared.server);
    } else {
      shared.database = await (place === 'SQLite' ? sqliteDatabase() : pgliteDatabase());
    }
  });
  afterAll(async () => {
    await shared.database?.stop();
    await shared.server?.stop();
  });
  return shared as { readonly database: Database };
}
