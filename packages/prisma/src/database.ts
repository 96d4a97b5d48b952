import { MemoryError } from '@keepsake/core';
import { isWithinTransaction, type PrismaLike } from './prisma-client.ts';
import { asMemoryError, brokenTransaction, isCollision, missingTables } from './prisma-errors.ts';
import { retrying } from './retry.ts';
import { inTurn } from './sqlite-turns.ts';
import { nameStatement } from './statement-name.ts';

export type Dialect = 'postgresql' | 'sqlite';

/** What the migrations make, each with a version of its own. */
export type Part = 'sessions' | 'store';

/** The version of each part that this code works with. */
const VERSIONS: Readonly<Record<Part, number>> = { sessions: 1, store: 2 };

/** A statement. Its values are `$1`, `$2` and so on, and nothing else of it ever depends on what callers pass. */
export interface Statement {
  readonly sql: string;
  readonly writes: boolean;
}

/** A statement that only reads, and is always the same. */
export function reading(dialect: Dialect, sql: string): Statement {
  return statement(dialect, sql, false);
}

/** A statement that changes something, all of it or nothing, and is always the same. */
export function writing(dialect: Dialect, sql: string): Statement {
  return statement(dialect, sql, true);
}

function statement(dialect: Dialect, text: string, writes: boolean): Statement {
  const sql = inDialect(dialect, text);
  // Before any other, so that they have names however many kinds of queries there will be.
  if (dialect === 'postgresql') nameStatement(sql);
  return { sql, writes };
}

/** To SQLite, `$1` is a name, not a place. */
function inDialect(dialect: Dialect, sql: string): string {
  return dialect === 'sqlite' ? sql.replaceAll('$', '?') : sql;
}

/** Now, as the database's clock has it, in milliseconds since 1970. */
export const NOW_MS: Readonly<Record<Dialect, string>> = {
  postgresql: "floor(date_part('epoch', statement_timestamp()) * 1000)::bigint",
  sqlite: "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
};

/** A database with the tables of Keepsake, behind the caller's client. */
export class Database {
  readonly dialect: Dialect;
  readonly #prisma: PrismaLike;

  constructor(prisma: PrismaLike, dialect: Dialect) {
    this.#prisma = prisma;
    this.dialect = dialect;
  }

  /** The rows that a statement gives. Whole numbers come as number or bigint, by their type. */
  async query<Row>({ sql, writes }: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<Row[]> {
    this.#name(sql);
    return this.#send(() => this.#prisma.$queryRawUnsafe<Row[]>(sql, ...values), writes, signal);
  }

  /** How many rows a statement has changed. */
  async execute({ sql, writes }: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<number> {
    this.#name(sql);
    return this.#send(() => this.#prisma.$executeRawUnsafe(sql, ...values), writes, signal);
  }

  #name(sql: string): void {
    if (this.dialect === 'postgresql') nameStatement(sql);
  }

  #send<T>(work: () => PromiseLike<T>, writes: boolean, signal?: AbortSignal): Promise<T> {
    const takesTurns = writes && this.dialect === 'sqlite';
    return send(this.#prisma, takesTurns ? () => inTurn(this.#prisma, work) : work, writes, signal);
  }
}

async function send<T>(
  prisma: PrismaLike,
  work: () => PromiseLike<T>,
  writes: boolean,
  signal?: AbortSignal,
): Promise<T> {
  const ends = isWithinTransaction(prisma);
  try {
    return await retrying(work, (error) => !ends && isCollision(error), signal);
  } catch (error) {
    throw ends && isCollision(error) ? brokenTransaction(error) : asMemoryError(error, writes);
  }
}

const opened: Readonly<Record<Part, WeakMap<PrismaLike, Promise<Database>>>> = {
  sessions: new WeakMap(),
  store: new WeakMap(),
};

/**
 * The database of a client, once it is known that it has the tables of that part: asked once a client, and again only
 * after it failed.
 *
 * @throws MemoryError `BACKEND` that says how to get the tables where they are missing, or of another version.
 */
export function openDatabase(prisma: PrismaLike, part: Part): Promise<Database> {
  const known = opened[part].get(prisma);
  if (known !== undefined) return known;
  const opening = checkTables(prisma, part);
  opened[part].set(prisma, opening);
  opening.catch(() => opened[part].delete(prisma));
  return opening;
}

async function checkTables(prisma: PrismaLike, part: Part): Promise<Database> {
  const sql = 'SELECT part, dialect, version FROM keepsake_meta';
  const rows = await send(
    prisma,
    () => prisma.$queryRawUnsafe<{ part: string; dialect: Dialect; version: number }[]>(sql),
    false,
  );
  const found = rows.find((row) => row.part === part);
  if (found === undefined) throw missingTables();
  const version = Number(found.version);
  if (version === VERSIONS[part]) return new Database(prisma, found.dialect);
  throw new MemoryError(
    'BACKEND',
    version < VERSIONS[part]
      ? 'The tables of Keepsake in this database are of an older version. `npx keepsake-prisma init` adds the migration that is missing; then run `npx prisma migrate deploy`.'
      : 'The tables of Keepsake in this database are of a newer version. Update @keepsake/prisma.',
  );
}
