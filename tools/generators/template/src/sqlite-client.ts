/** What is called of the client, which the caller made and closes. A `DatabaseSync` of `node:sqlite` is one. */
export interface SqliteClient {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: (string | number | null)[]): unknown[] };
}
