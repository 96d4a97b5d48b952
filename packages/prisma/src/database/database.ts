import { MemoryError } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import { Turns } from '@keepsake/internal/node';
import type { Dialect } from './dialect.ts';
import { leavingWhenBusy } from './leave-busy-connection.ts';
import { isWithinTransaction, type PrismaLike } from './prisma-client.ts';
import { asMemoryError, isCollision, missingTables, transactionError } from './prisma-errors.ts';
import { AGING, retrying } from './retry.ts';
import { inTurn } from './sqlite-write-queue.ts';
import type { Written } from './statement.ts';
import { nameStatement } from './statement-name.ts';

/** The version of the tables that this code works with. */
const VERSION = 1;

/** How long calls on SQLite go on before the event loop turns: its drivers work at once, so awaited calls would keep it from that. */
const CALLS_MS = 10;
const turns = new Turns(CALLS_MS);

/** A database with Keepsake's tables, reached through the caller's client. */
export class Database {
  readonly dialect: Dialect;
  readonly #prisma: PrismaLike;

  constructor(prisma: PrismaLike, dialect: Dialect) {
    this.#prisma = prisma;
    this.dialect = dialect;
  }

  /** Whether this is a transaction that the caller has opened. */
  get isTransaction(): boolean {
    return isWithinTransaction(this.#prisma);
  }

  /**
   * The rows of a statement that only reads. Integers are `number` or `bigint`, depending on their type and the driver.
   *
   * @throws MemoryError `ABORTED` if the signal was aborted meanwhile.
   */
  async readRows<Row>(statement: Written, signal?: AbortSignal): Promise<Row[]> {
    const rows = await this.#query<Row>(statement, false, signal);
    throwIfAborted(signal);
    return rows;
  }

  /** The rows that a writing statement returns. All of it is written, or nothing. */
  writeRows<Row>(statement: Written, signal?: AbortSignal): Promise<Row[]> {
    return this.#query(statement, true, signal);
  }

  /** Returns how many rows a writing statement has changed. All of it is written, or nothing. */
  async countWritten({ sql, values, isFixed }: Written): Promise<number> {
    this.#name(sql, isFixed);
    return this.#send(() => this.#prisma.$executeRawUnsafe(sql, ...values.list), true);
  }

  async #query<Row>({ sql, values, isFixed }: Written, writes: boolean, signal?: AbortSignal): Promise<Row[]> {
    this.#name(sql, isFixed);
    return this.#send(() => this.#prisma.$queryRawUnsafe<Row[]>(sql, ...values.list), writes, signal);
  }

  #name(sql: string, isFixed?: boolean): void {
    if (this.dialect === 'postgresql') nameStatement(sql, isFixed);
  }

  #send<T>(work: () => PromiseLike<T>, writes: boolean, signal?: AbortSignal): Promise<T> {
    return send(this.#prisma, this.dialect, work, writes, signal);
  }
}

/** @param dialect - `undefined` if it is not yet known. */
async function send<T>(
  prisma: PrismaLike,
  dialect: Dialect | undefined,
  work: () => PromiseLike<T>,
  writes: boolean,
  signal?: AbortSignal,
): Promise<T> {
  // A collision ends the caller's transaction, so only the caller can retry.
  const isCallers = isWithinTransaction(prisma);
  const again = (error: unknown) => !isCallers && isCollision(error);
  const start = performance.now();
  if (dialect === 'sqlite') await turns.wait;
  const sent = () =>
    dialect === 'postgresql'
      ? retrying(work, again, { signal, start })
      : retrying(() => leavingWhenBusy(prisma, work), again, { signal, start, longestWait: AGING });
  try {
    return await (writes && dialect === 'sqlite' ? inTurn(prisma, sent, signal) : sent());
  } catch (error) {
    throw isCallers ? transactionError(error, writes) : asMemoryError(error, writes);
  }
}

const opened = new WeakMap<PrismaLike, Promise<Database>>();

/**
 * The database of a client. Checks once per client that it has the tables; if that fails, the next call checks again.
 *
 * @throws MemoryError `BACKEND` if tables are missing or of another version. The message says what to do.
 */
export function openDatabase(prisma: PrismaLike): Promise<Database> {
  const known = opened.get(prisma);
  if (known !== undefined) return known;
  const opening = checkTables(prisma);
  opened.set(prisma, opening);
  opening.catch(() => opened.delete(prisma));
  return opening;
}

interface MetaRow {
  readonly dialect: Dialect;
  readonly version: number;
}

async function checkTables(prisma: PrismaLike): Promise<Database> {
  // Before this answers, the dialect is unknown, so that the statement can have no values.
  const sql = 'SELECT dialect, version FROM keepsake_meta';
  const [row] = await send(prisma, undefined, () => prisma.$queryRawUnsafe<MetaRow[]>(sql), false);
  if (row === undefined) throw missingTables();
  checkVersion(Number(row.version));
  return new Database(prisma, row.dialect);
}

function checkVersion(version: number): void {
  if (version === VERSION) return;
  throw new MemoryError(
    'BACKEND',
    version < VERSION
      ? "Keepsake's tables in this database are of an older version. Run `npx keepsake-prisma init`, which adds the missing migration, then `npx prisma migrate deploy`."
      : "Keepsake's tables in this database are of a newer version. Update @keepsake/prisma.",
  );
}
