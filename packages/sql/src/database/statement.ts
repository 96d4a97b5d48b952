import type { Dialect } from './dialect.ts';

/**
 * Collects the values of a statement while its text is written: each method adds one, and returns the SQL that stands for
 * it. The text of a statement never contains a value.
 */
export class Values {
  readonly list: unknown[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  text(value: string | null): string {
    return this.#add(value, 'text', 'TEXT');
  }

  whole(value: number | null): string {
    return this.#add(value, 'bigint', 'INTEGER');
  }

  /** For PostgreSQL only: SQLite has no arrays. As text, because not every driver knows the types of arrays. */
  texts(list: readonly string[] | null): string {
    return `CAST(${this.text(list && `{${list.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`)}}`)} AS text[])`;
  }

  /** Casts, because each driver has its own idea of the type of a number. */
  #add(value: unknown, postgresql: string, sqlite: string): string {
    this.list.push(value);
    // In SQLite, `$1` is a name and not a position.
    const [sign, type] = this.#dialect === 'postgresql' ? ['$', postgresql] : ['?', sqlite];
    return `CAST(${sign}${this.list.length} AS ${type})`;
  }
}

/** A statement that is ready to send. */
export interface Written {
  readonly sql: string;
  readonly values: Values;
  /** Whether the text is the same for any values. These statements are always prepared; of the others, only the first. */
  readonly isFixed?: boolean;
}
