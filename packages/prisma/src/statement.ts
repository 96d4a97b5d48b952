import type { Database, Dialect } from './database.ts';

/**
 * Collects the values of a statement while it is written: each method takes one, and gives what stands for it. A value is
 * never part of the text of a statement.
 */
export class Values {
  readonly list: unknown[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  text(value: string): string {
    return this.#add(value, 'text', 'TEXT');
  }

  whole(value: number): string {
    return this.#add(value, 'bigint', 'INTEGER');
  }

  real(value: number): string {
    return this.#add(value, 'double precision', 'REAL');
  }

  /** In PostgreSQL alone, which has lists. */
  texts(list: readonly string[]): string {
    return this.#add(list, 'text[]', '');
  }

  /** The types are said: drivers give a number as whatever they think fit. */
  #add(value: unknown, postgresql: string, sqlite: string): string {
    this.list.push(value);
    const [mark, type] = this.#dialect === 'postgresql' ? ['$', postgresql] : ['?', sqlite];
    return `CAST(${mark}${this.list.length} AS ${type})`;
  }
}

/** A query for rows that are handed over as JSON: the text of a statement is the same for any number of them. */
export function rowsOf(
  dialect: Dialect,
  rows: readonly (readonly unknown[])[],
  types: readonly string[],
  values: Values,
): string {
  const json = values.text(JSON.stringify(rows));
  const columns = types.map((type, column) => `CAST("value" ->> ${column} AS ${type})`).join(', ');
  return dialect === 'postgresql'
    ? `SELECT ${columns} FROM json_array_elements(CAST(${json} AS json))`
    : `SELECT ${columns} FROM json_each(${json})`;
}

/** What a statement is made of. */
export interface Written {
  readonly sql: string;
  readonly values: Values;
}

/** The rows of a statement that only reads. */
export function readRows<Row>(database: Database, { sql, values }: Written, signal?: AbortSignal): Promise<Row[]> {
  return database.query({ sql, writes: false }, values.list, signal);
}

/** The rows that a statement returns that writes, all or nothing. */
export function writeRows<Row>(database: Database, { sql, values }: Written, signal?: AbortSignal): Promise<Row[]> {
  return database.query({ sql, writes: true }, values.list, signal);
}

/** How many rows a statement has written. */
export function countWritten(database: Database, { sql, values }: Written): Promise<number> {
  return database.execute({ sql, writes: true }, values.list);
}
