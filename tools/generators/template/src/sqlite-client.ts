/** The methods of the client that Keepsake calls, such as a `DatabaseSync` of `node:sqlite`. The caller closes it. */
export interface SqliteClient {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: (string | number | null)[]): unknown[] };
}
