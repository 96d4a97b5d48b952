import type { Dialect } from './dialect.ts';

/*
 * Every time that Keepsake writes or compares is the database's, never that of the process: clients whose clocks differ
 * then agree about when a record was created and when it expires. The migrations use the same expressions.
 */

/** SQL for the current time in whole milliseconds since 1970. It is the same throughout a statement. */
export function nowOf(dialect: Dialect): string {
  return dialect === 'postgresql'
    ? 'CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)'
    : // `unixepoch('subsec')` needs SQLite 3.42.
      "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";
}

/** SQL for whether a session or record has not expired. */
export function liveIn(dialect: Dialect, table?: string): string {
  const expires = `${table === undefined ? '' : `${table}.`}"expires_ms"`;
  return `(${expires} IS NULL OR ${expires} > ${nowOf(dialect)})`;
}

/** The time in a row, as ISO 8601. */
export function isoTime(milliseconds: unknown): string {
  return new Date(Number(milliseconds)).toISOString();
}
