import { MemoryError } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import type { Dialect } from './dialect.ts';
import type { Driver, Sending, TablesHelp } from './driver.ts';
import { asMemoryError, isCollision, missingTables, transactionError } from './errors.ts';
import { retrying } from './retry.ts';
import type { Written } from './statement.ts';
import { nameStatement } from './statement-name.ts';

/** The version of the tables that this code works with. */
const VERSION = 1;

/** A database with Keepsake's tables, reached through the caller's client. */
export class Database {
  readonly dialect: Dialect;
  readonly #driver: Driver;

  constructor(driver: Driver, dialect: Dialect) {
    this.#driver = driver;
    this.dialect = dialect;
  }

  get tables(): TablesHelp {
    return this.#driver.tables;
  }

  /** Whether PostgreSQL plans each statement each time. */
  get plansEachTime(): boolean {
    return this.#driver.plansEachTime ?? false;
  }

  /** Whether this is a transaction that the caller has opened. */
  get isTransaction(): boolean {
    return this.#driver.isTransaction;
  }

  /**
   * The rows of a statement that only reads. Integers are `number`, `bigint` or `string`, depending on their type and the
   * driver.
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
    return this.#send(() => this.#driver.execute(sql, values.list), true);
  }

  async #query<Row>({ sql, values, isFixed }: Written, writes: boolean, signal?: AbortSignal): Promise<Row[]> {
    this.#name(sql, isFixed);
    return this.#send(() => this.#driver.query<Row>(sql, values.list), writes, signal);
  }

  #name(sql: string, isFixed?: boolean): void {
    if (this.dialect === 'postgresql') nameStatement(sql, isFixed);
  }

  #send<T>(work: () => PromiseLike<T>, writes: boolean, signal?: AbortSignal): Promise<T> {
    return send(this.#driver, work, { dialect: this.dialect, writes, signal });
  }
}

/** Sends a statement, retries collisions, and converts errors. */
export async function send<T>(driver: Driver, work: () => PromiseLike<T>, how: Omit<Sending, 'start'>): Promise<T> {
  // A collision ends the caller's transaction, so only the caller can retry.
  const isCallers = driver.isTransaction;
  const again = (error: unknown) => !isCallers && isCollision(error);
  const sending = { ...how, start: performance.now() };
  try {
    return await (driver.send === undefined ? retrying(work, again, sending) : driver.send(work, again, sending));
  } catch (error) {
    throw (isCallers ? transactionError : asMemoryError)(error, how.writes, driver.tables);
  }
}

const opened = new WeakMap<Driver, Promise<Database>>();

/**
 * The database of a driver. Checks once that it has the tables; if that fails, the next call checks again.
 *
 * @throws MemoryError `BACKEND` if tables are missing or of another version. The message says what to do.
 */
export function openDatabase(driver: Driver): Promise<Database> {
  const knownDatabase = opened.get(driver);
  if (knownDatabase !== undefined) return knownDatabase;
  const opening = checkTables(driver);
  opened.set(driver, opening);
  opening.catch(() => opened.delete(driver));
  return opening;
}

interface MetaRow {
  readonly dialect: Dialect;
  readonly version: number;
}

async function checkTables(driver: Driver): Promise<Database> {
  // Before this answers, the dialect is unknown, so that the statement can have no values.
  const sql = 'SELECT dialect, version FROM keepsake_meta';
  const [row] = await send(driver, () => driver.query<MetaRow>(sql, []), { dialect: undefined, writes: false });
  if (row === undefined) throw missingTables(driver.tables);
  checkVersion(Number(row.version), driver.tables);
  return new Database(driver, row.dialect);
}

function checkVersion(version: number, tables: TablesHelp): void {
  if (version !== VERSION) throw new MemoryError('BACKEND', version < VERSION ? tables.older : tables.newer);
}
