import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PrismaLike, statementName } from '@keepsake/prisma';
import { generatePrismaClient } from '@keepsake/prisma-client';
import { startPostgres } from '@keepsake/services';
import { type Client, createClient } from '@libsql/client';
import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';

type Dialect = 'postgresql' | 'sqlite';

/** A generated client. The compiler sees only this part, because it is generated when a benchmark runs. */
export interface BenchPrisma extends PrismaLike {
  $disconnect(): Promise<void>;
}

export interface PostgresDatabase {
  readonly prisma: BenchPrisma;
  /** Another client with prepared statements, as in the guide. */
  readonly preparing: BenchPrisma;
  /** The driver alone, with the same number of connections. */
  readonly pool: Pool;
  readonly url: string;
  close(): Promise<void>;
}

export interface SqliteDatabase {
  readonly prisma: BenchPrisma;
  /** The driver alone. */
  readonly client: Client;
  close(): Promise<void>;
}

const PACKAGE = join(import.meta.dirname, '../../../../packages/prisma');
const PARTITIONS = join(PACKAGE, 'test/partitions.sql');
const GENERATED = join(import.meta.dirname, '../../generated');

/** The default number of connections of `pg`. */
const CONNECTIONS = 10;

interface PostgresChoices {
  /** Whether the large tables are in 16 parts. @default false */
  readonly partitioned?: boolean;
  /** Whether commits wait for the disk. @default true, as in production */
  readonly fsync?: boolean;
}

/** A database with Keepsake's tables, on its own server. */
export async function openPostgres({
  partitioned = false,
  fsync = true,
}: PostgresChoices = {}): Promise<PostgresDatabase> {
  const server = await startPostgres({ own: true, fsync });
  const pool = new Pool({ connectionString: server.url, max: CONNECTIONS });
  try {
    for (const migration of migrationsOf('postgresql')) await pool.query(migration);
    if (partitioned) await pool.query(readFileSync(PARTITIONS, 'utf8'));
    const PrismaClient = await clientOf('postgresql');
    const connect = (options?: PrismaPgOptions) =>
      new PrismaClient({ adapter: new PrismaPg({ connectionString: server.url, max: CONNECTIONS }, options) });
    const [prisma, preparing] = [
      connect(),
      connect({ statementNameGenerator: ({ sql }) => statementName({ sql }) || nameOf(sql) }),
    ];
    const close = async () => {
      await prisma.$disconnect();
      await preparing.$disconnect();
      await pool.end();
      await server.stop();
    };
    return { prisma, preparing, pool, url: server.url, close };
  } catch (error) {
    await pool.end();
    await server.stop();
    throw error;
  }
}

type PrismaPgOptions = ConstructorParameters<typeof PrismaPg>[1];

const names = new Map<string, string>();

/** The name of a prepared statement of the benchmark itself. There are few. */
export function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = `bench_${names.size}`;
  names.set(sql, name);
  return name;
}

/** A database with Keepsake's tables, in a file with a write-ahead log. */
export async function openSqlite(directory: string): Promise<SqliteDatabase> {
  const url = `file:${join(directory, 'bench.db')}`;
  const client = createClient({ url });
  await client.execute('PRAGMA journal_mode = WAL');
  for (const migration of migrationsOf('sqlite')) await client.executeMultiple(migration);
  const PrismaClient = await clientOf('sqlite');
  const prisma = new PrismaClient({ adapter: new PrismaLibSql({ url }) });
  const close = async () => {
    await prisma.$disconnect();
    client.close();
  };
  return { prisma, client, close };
}

function migrationsOf(dialect: Dialect): string[] {
  const folder = join(PACKAGE, 'migrations', dialect);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

interface Generated {
  readonly PrismaClient: new (options: { readonly adapter: unknown }) => BenchPrisma;
}

const generated = new Map<Dialect, Promise<void>>();

/** The client that a user would generate, with the models of the package and others. */
async function clientOf(dialect: Dialect): Promise<Generated['PrismaClient']> {
  const own = join(import.meta.dirname, 'schemas', `${dialect}.prisma`);
  const generating =
    generated.get(dialect) ?? generatePrismaClient([own, join(PACKAGE, 'prisma', dialect, 'keepsake.prisma')]);
  generated.set(dialect, generating);
  await generating;
  const { PrismaClient }: Generated = await import(join(GENERATED, dialect, 'client.ts'));
  return PrismaClient;
}
