import { Pool as NeonPool, neonConfig } from '@neondatabase/serverless';
import pg from 'pg';
import postgres from 'postgres';
import type { PostgresClient } from '../src/index.ts';

/** The drivers that Keepsake supports. */
export const DRIVERS = ['pg', 'postgres.js', 'PGlite'] as const;
export type DriverKind = (typeof DRIVERS)[number] | 'Neon';
/** Those of servers. */
export const SERVER_DRIVERS = ['pg', 'postgres.js'] as const;
/** Neon's has the interface of `pg`, over a WebSocket. */
export type ServerDriver = (typeof SERVER_DRIVERS)[number] | 'Neon';

/** A client, and what tests do with it directly. */
export interface Connected {
  readonly kind: DriverKind;
  readonly client: PostgresClient;
  /** The rows of a statement without values. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/**
 * A client of a database on a server.
 *
 * @param pipelined - How many statements postgres.js sends ahead on one connection.
 */
export function connectTo(kind: ServerDriver, url: string, connections = 10, pipelined = 100): Connected {
  if (kind !== 'postgres.js') {
    const options = { connectionString: url, max: connections };
    const pool = (kind === 'pg' ? new pg.Pool(options) : new NeonPool(options)) as pg.Pool;
    pool.on('error', () => {});
    return { kind, client: pool, sql: async (text) => (await pool.query(text)).rows, close: () => pool.end() };
  }
  // Its types do not have all of them.
  const options = { max: connections, max_pipeline: pipelined, onnotice() {} };
  const sql = postgres(url, options);
  return {
    kind,
    client: sql,
    sql: async (text) => [...(await sql.unsafe(text))],
    close: () => sql.end({ timeout: 1 }),
  };
}

/** Has clients of Neon's driver reach servers through a proxy, as they reach Neon. */
export function throughProxy(proxyPort: number): void {
  neonConfig.wsProxy = (host, port) => `127.0.0.1:${proxyPort}/?address=${host}:${port}`;
  neonConfig.useSecureWebSocket = false;
  // What shortens the way to Neon only: to begin TLS and to send the password before the server asks for it.
  neonConfig.pipelineTLS = false;
  neonConfig.pipelineConnect = false;
}
