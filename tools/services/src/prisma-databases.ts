import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { newDatabaseUrl } from './postgres-databases.ts';
import { startPostgres } from './start-postgres.ts';

/** The package of the generated client. Its sources are not imported, because their tests use this file. */
const PACKAGE = join(import.meta.dirname, '../../../packages/prisma');

/** The part of a generated Prisma Client that stores and sessions use. */
export interface Prisma {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): PromiseLike<T>;
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
  $disconnect(): Promise<void>;
}

/** A PostgreSQL server that creates databases with the tables of Keepsake. Borrows the server that `DATABASE_URL` names. */
export interface PrismaServer {
  /** A client of a new database, which is created before its first statement, and its URL. */
  connect(): { readonly prisma: Prisma; readonly url: string };
  stop(): Promise<void>;
}

/** Requires the clients that `nx generate @keepsake/prisma` generates. */
export async function startPrisma(): Promise<PrismaServer> {
  const server = await startPostgres(process.env.DATABASE_URL ? {} : { args: ['-c', 'max_connections=500'] });
  const clients: Prisma[] = [];
  return {
    connect() {
      const url = newDatabaseUrl(server.url);
      const prisma = lazily(
        server
          .createDatabase(url)
          .then(migrate)
          .then(() => connect(url)),
      );
      clients.push(prisma);
      return { prisma, url };
    },
    async stop() {
      await Promise.all(clients.map((prisma) => prisma.$disconnect()));
      await server.stop();
    },
  };
}

/**
 * A client of a database. It connects with its first statement.
 *
 * @param prepare - Called before it connects.
 */
export function connectPrisma(url: string, prepare: () => Promise<void> = async () => {}): Prisma {
  return lazily(
    Promise.resolve()
      .then(prepare)
      .then(() => connect(url)),
  );
}

/** Creates the tables of Keepsake in a file for SQLite. */
export async function migrateSqlite(file: string): Promise<void> {
  // Only here: before 24.15, Node warns of it on standard error.
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = WAL');
    for (const migration of migrationsOf('sqlite')) database.exec(migration);
  } finally {
    database.close();
  }
}

/** The migrations of a kind of database, in order. */
function migrationsOf(dialect: 'postgresql' | 'sqlite'): string[] {
  const folder = join(PACKAGE, dialect === 'sqlite' ? 'migrations/sqlite' : '../postgres/migrations');
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

async function connect(url: string): Promise<Prisma> {
  const { connectTo } = (await import(join(PACKAGE, 'test/connect-to.ts'))) as {
    connectTo(url: string, options: { readonly connections: number }): Prisma;
  };
  return connectTo(url, { connections: 3 });
}

async function migrate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const migration of migrationsOf('postgresql')) await client.query(migration);
  } finally {
    await client.end();
  }
}

function lazily(connecting: Promise<Prisma>): Prisma {
  return {
    $queryRawUnsafe: async <T>(query: string, ...values: unknown[]) =>
      (await connecting).$queryRawUnsafe<T>(query, ...values),
    $executeRawUnsafe: async (query, ...values) => (await connecting).$executeRawUnsafe(query, ...values),
    $disconnect: async () => (await connecting).$disconnect(),
  };
}
