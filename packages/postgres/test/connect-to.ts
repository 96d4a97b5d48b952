import pg from 'pg';
import postgres from 'postgres';
import type { PostgresClient } from '../src/index.ts';

/** The drivers that Keepsake supports. */
export const DRIVERS = ['pg', 'postgres.js', 'PGlite'] as const;
export type DriverKind = (typeof DRIVERS)[number];
/** Those of servers. */
export const SERVER_DRIVERS = ['pg', 'postgres.js'] as const;
export type ServerDriver = (typeof SERVER_DRIVERS)[number];

/** A client, and what tests do with it directly. */
export interface Connected {
  readonly kind: DriverKind;
  readonly client: PostgresClient;
  /** The rows of a statement without values. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** A client of a database on a server. */
export function connectTo(kind: ServerDriver, url: string, connections = 10): Connected {
  if (kind === 'pg') {
    const pool = new pg.Pool({ connectionString: url, max: connections });
    pool.on('error', () => {});
    return { kind, client: pool, sql: async (text) => (await pool.query(text)).rows, close: () => pool.end() };
  }
  const sql = postgres(url, { max: connections, onnotice() {} });
  return {
    kind,
    client: sql,
    sql: async (text) => [...(await sql.unsafe(text))],
    close: () => sql.end({ timeout: 1 }),
  };
}
