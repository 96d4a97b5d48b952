import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PrismaLike } from '@keepsake/prisma';
import { createClient } from '@libsql/client';
import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaPg } from '@prisma/adapter-pg';
import { Client } from 'pg';
import { PrismaClient } from '../generated/postgresql/client.ts';
import { PrismaClient as SqliteClient } from '../generated/sqlite/client.ts';

export interface Database {
  readonly name: string;
  readonly prisma: PrismaLike;
  stop(): Promise<void>;
}

/** PostgreSQL at a URL; without one, SQLite in a file that is removed with the program. */
export async function openDatabase(url: string | undefined): Promise<Database> {
  return url === undefined ? openSqlite() : openPostgres(url);
}

/** Creates the tables of Keepsake in a PostgreSQL database. */
export async function migrate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const migration of migrations('postgresql')) await client.query(migration);
  await client.end();
}

async function openPostgres(url: string): Promise<Database> {
  await migrate(url);
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  return { name: 'PostgreSQL', prisma, stop: () => prisma.$disconnect() };
}

async function openSqlite(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-web-'));
  const url = `file:${join(folder, 'app.db')}`;
  const client = createClient({ url });
  await client.execute('PRAGMA journal_mode = WAL');
  for (const migration of migrations('sqlite')) await client.executeMultiple(migration);
  client.close();
  const prisma = new SqliteClient({ adapter: new PrismaLibSql({ url }) });
  return {
    name: 'SQLite',
    prisma,
    async stop() {
      await prisma.$disconnect();
      rmSync(folder, { recursive: true });
    },
  };
}

/** In your application, `npx prisma migrate deploy` applies these. */
function migrations(dialect: string): string[] {
  const keepsake = dirname(fileURLToPath(import.meta.resolve('@keepsake/prisma/package.json')));
  const folder = join(keepsake, 'migrations', dialect);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}
