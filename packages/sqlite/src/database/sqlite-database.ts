/** What is used of a `DatabaseSync` of `node:sqlite`. Declared here, so that its types are not needed. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
}

/** What is used of a `StatementSync`. */
export interface SqliteStatement {
  all(...values: (string | number | null | Uint8Array)[]): unknown[];
  get(...values: (string | number | null | Uint8Array)[]): unknown;
  run(...values: (string | number | null | Uint8Array)[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}
