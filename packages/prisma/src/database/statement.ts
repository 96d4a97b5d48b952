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

  real(value: number): string {
    return this.#add(value, 'double precision', 'REAL');
  }

  /** For PostgreSQL only: SQLite has no arrays. */
  texts(list: readonly string[] | null): string {
    return this.#add(list, 'text[]', '');
  }

  /** Casts, because each driver has its own idea of the type of a number. */
  #add(value: unknown, postgresql: string, sqlite: string): string {
    this.list.push(value);
    // In SQLite, `$1` is a name and not a position.
    const [sign, type] = this.#dialect === 'postgresql' ? ['$', postgresql] : ['?', sqlite];
    return `CAST(${sign}${this.list.length} AS ${type})`;
  }
}

/** A query for rows that are passed as JSON, so that the text of a statement is the same for any number of rows. */
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

/** A table of objects that are passed as JSON. `columns` has the type of each field. */
export function tableOf(
  dialect: Dialect,
  alias: string,
  objects: readonly object[],
  columns: Readonly<Record<string, string>>,
  values: Values,
): string {
  const json = values.text(JSON.stringify(objects));
  const names = Object.keys(columns);
  // In PostgreSQL, `->>` would parse the object again for each column. SQLite goes by the types in the JSON.
  return dialect === 'postgresql'
    ? `json_to_recordset(CAST(${json} AS json)) AS ${alias}(${names.map((name) => `${name} ${columns[name]}`).join(', ')})`
    : `(SELECT ${names.map((name) => `"value" ->> '${name}' AS ${name}`).join(', ')} FROM json_each(${json})) AS ${alias}`;
}

/** A statement that is ready to send. */
export interface Written {
  readonly sql: string;
  readonly values: Values;
  /** Whether the text is the same for any values. These statements are always prepared; of the others, only the first. */
  readonly isFixed?: boolean;
}
