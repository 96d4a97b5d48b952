import { PGlite } from '@electric-sql/pglite';
import { type PostgresServer, startPostgres } from '@keepsake/services';
import { afterAll, beforeAll } from 'vitest';
import { type PostgresClient, type PostgresOptions, setup } from '../src/index.ts';
import { type Connected, connectTo, type DriverKind, type ServerDriver, throughProxy } from './connect-to.ts';
import { startProxy } from './web-socket-proxy.ts';

/** A database with Keepsake's tables. */
export interface Database extends Connected {
  /** Empty for PGlite, which exists only in this process. */
  readonly url: string;
  /** Another client with its own connections, which `stop()` closes. PGlite has one only. */
  connect(): Connected;
  stop(): Promise<void>;
}

let pglite: Promise<PGlite> | undefined;

/** The PostgreSQL in this process. All files that this process tests share it, because it takes seconds to start. */
export async function sharedPGlite(): Promise<PGlite> {
  pglite ??= PGlite.create();
  const db = await pglite;
  await setup(db);
  return db;
}

async function pgliteDatabase(): Promise<Database> {
  const db = await sharedPGlite();
  const sql = async (text: string) => (await db.exec(text)).at(-1)?.rows as Record<string, unknown>[];
  await sql('DELETE FROM keepsake_namespaces; DELETE FROM keepsake_sessions');
  const own: Connected = { kind: 'PGlite', client: db, sql, close: async () => {} };
  return { ...own, url: '', connect: () => own, stop: async () => {} };
}

/** A new database on a server, which the caller stops. */
export async function serverDatabase(kind: ServerDriver, server: PostgresServer): Promise<Database> {
  const url = await server.createDatabase();
  const proxy = kind === 'Neon' ? await startProxy() : undefined;
  if (proxy !== undefined) throughProxy(proxy.port);
  const connected: Connected[] = [];
  const connect = () => {
    const one = connectTo(kind, url);
    connected.push(one);
    return one;
  };
  const first = connect();
  await setup(first.client);
  return {
    ...first,
    url,
    connect,
    async stop() {
      for (const one of connected) await one.close();
      await proxy?.stop();
    },
  };
}

/** A new database for the tests of a file. */
export function sharedDatabase(kind: DriverKind): { readonly database: Database } {
  const shared: { database?: Database; server?: PostgresServer } = {};
  beforeAll(async () => {
    if (kind === 'PGlite') {
      shared.database = await pgliteDatabase();
    } else {
      shared.server = await startPostgres();
      shared.database = await serverDatabase(kind, shared.server);
    }
  });
  afterAll(async () => {
    await shared.database?.stop();
    await shared.server?.stop();
  });
  return shared as { readonly database: Database };
}

/** A client whose connection can be broken. All calls then fail as if the server were gone. */
export function breakable(options: Pick<PostgresOptions, 'client'>) {
  let broken = false;
  const breaking =
    <Arguments extends unknown[]>(method: (...values: Arguments) => unknown) =>
    (...values: Arguments) =>
      broken ? Promise.reject(new Error('Connection terminated unexpectedly')) : method(...values);
  const client = new Proxy(options.client as object, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const bound = value.bind(target);
      return ['query', 'unsafe', 'exec'].includes(String(name)) ? breaking(bound) : bound;
    },
  }) as PostgresClient;
  return {
    client,
    fail() {
      broken = true;
    },
    heal() {
      broken = false;
    },
  };
}
