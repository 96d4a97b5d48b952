/** What a statement takes. Texts have no lone surrogates, which SQLite can not store. */
export type Value = string | number | null | Uint8Array;

/**
 * What is used of a database of `node:sqlite`, `better-sqlite3`, `libsql` or `bun:sqlite`. Declared here, so that no types of
 * theirs are needed.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  /** `false` once a database of `better-sqlite3` or `libsql` was closed. */
  readonly open?: unknown;
}

/** What is used of a statement of theirs. */
export interface SqliteStatement {
  all(...values: Value[]): unknown[];
  get(...values: Value[]): unknown;
  run(...values: Value[]): { readonly changes: number | bigint };
}

/** What is used of the storage of a Durable Object of Cloudflare, `ctx.storage`. */
export interface DurableObjectDatabase {
  readonly sql: { exec(sql: string, ...values: Value[]): { toArray(): Record<string, unknown>[] } };
  transactionSync<T>(work: () => T): T;
}

/** The storage of a Durable Object as a database like the others. */
export function fromDurableObject({ sql }: DurableObjectDatabase): SqliteDatabase {
  return {
    exec: (text) => sql.exec(text),
    prepare(text) {
      const all = (...values: Value[]) =>
        sql
          .exec(text, ...values)
          .toArray()
          .map(withBytes);
      return {
        all,
        get: (...values) => all(...values)[0],
        run(...values) {
          all(...values);
          // The cursor counts rows of indexes, too.
          const [row] = sql.exec('SELECT changes() AS changes').toArray();
          return { changes: Number(row?.changes) };
        },
      };
    },
  };
}

function withBytes(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) {
    const value = row[name];
    if (value instanceof ArrayBuffer) row[name] = new Uint8Array(value);
  }
  return row;
}
