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

  /** The types are said: drivers give a number as whatever they think fit. */
  #add(value: unknown, postgresql: string, sqlite: string): string {
    this.list.push(value);
    const [mark, type] = this.#dialect === 'postgresql' ? ['$', postgresql] : ['?', sqlite];
    return `CAST(${mark}${this.list.length} AS ${type})`;
  }
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
