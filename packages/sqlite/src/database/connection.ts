import type { DurableObjectDatabase, SqliteDatabase, SqliteStatement, Value } from './sqlite-database.ts';

export type { Value };

/** SQL on an open database. Statements are prepared once. Parameters are `?`: Node 22.13 can not bind `?1` by position. */
export class Connection {
  /** Set if a transaction could not be rolled back. Then the database must be opened again. */
  isBroken = false;
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  /** How transactions are made, if not with SQL. */
  readonly transactionSync: DurableObjectDatabase['transactionSync'] | undefined;

  constructor(database: SqliteDatabase, transactionSync?: DurableObjectDatabase['transactionSync']) {
    this.#database = database;
    this.transactionSync = transactionSync;
  }

  /** Whether Cloudflare manages the database, which then has no file and no log, and takes no BEGIN, PRAGMA or VACUUM. */
  get isManaged(): boolean {
    return this.transactionSync !== undefined;
  }

  /** Runs statements without values, such as PRAGMA and CREATE TABLE. */
  execute(sql: string): void {
    this.#database.exec(sql);
  }

  /** The rows of a query. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** The first row of a query. */
  first<Row>(sql: string, ...values: Value[]): Row | undefined {
    // `null` of bun:sqlite.
    return (this.#prepared(sql).get(...values) ?? undefined) as Row | undefined;
  }

  /** Changes rows, and returns how many. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  #prepared(sql: string): SqliteStatement {
    // libsql would run statements of a closed database, and leave their transaction open.
    if (this.#database.open === false) throw new Error('database is not open');
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Gives the connection for a call, and opens it if needed. */
type Connect = () => Connection;

/** The connections of this process to a database. */
export interface Connections {
  readonly usual: Connect;
  /** For changes that take several turns of the event loop. Missing for a database of the caller, who has only one. */
  readonly apart?: Connect | undefined;
}
