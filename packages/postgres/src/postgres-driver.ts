import { createHash } from 'node:crypto';
import { expect, type FieldNames } from '@keepsake/core/adapter';
import { type Driver, statementName, type TablesHelp } from '@keepsake/sql';
import { type Connection, connectionOf, type PostgresClient } from './client.ts';

/** How to reach Keepsake's tables. */
export interface PostgresOptions {
  /**
   * A pool or client of `pg` (Neon's and Vercel's are the same), `sql` of postgres.js, or a PGlite; or a transaction of one,
   * which the calls then join. Keepsake never closes it.
   */
  readonly client: PostgresClient;
  /**
   * The schema that has Keepsake's tables.
   *
   * @default the first on the `search_path` that has them
   */
  readonly schema?: string | undefined;
  /**
   * Whether connections keep prepared statements, so that PostgreSQL plans each once. At most 100. A pooler in transaction
   * mode must support them.
   *
   * @default false
   */
  readonly prepare?: boolean | undefined;
}

/** The fields of {@link PostgresOptions}. */
export const POSTGRES_OPTIONS: FieldNames<PostgresOptions> = { client: true, schema: true, prepare: true };

const TABLES: TablesHelp = {
  missing:
    "This database does not have Keepsake's tables. Run `npx keepsake-postgres migrate`, or call `await setup(client)`. If they are in a schema that is not on the search_path, pass it as `schema`.",
  older: "Keepsake's tables in this database are of an older version. Run `npx keepsake-postgres migrate`.",
  newer: "Keepsake's tables in this database are of a newer version. Update @keepsake/postgres.",
};

/** Where statements name tables and functions. */
const NAMED = /\b(?:FROM|JOIN|INTO|UPDATE|SELECT)\s+(?="?keepsake_)/g;

class PostgresDriver implements Driver {
  readonly tables = TABLES;
  readonly #connection: Connection;
  readonly #schema: string | undefined;
  readonly #prepare: boolean;
  /** Tells apart statements of the same text in other schemas. */
  readonly #suffix: string;

  constructor(connection: Connection, schema: string | undefined, prepare: boolean) {
    this.#connection = connection;
    this.#schema = schema && `${quoted(schema)}.`;
    this.#prepare = prepare && connection.canPrepare;
    this.#suffix = schema === undefined ? '' : createHash('sha256').update(schema).digest('hex').slice(0, 16);
  }

  get plansEachTime(): boolean {
    return !this.#prepare;
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  async query<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.#send(sql, values)).rows as Row[];
  }

  async execute(sql: string, values: readonly unknown[]): Promise<number> {
    return (await this.#send(sql, values)).count;
  }

  #send(sql: string, values: readonly unknown[]) {
    const name = this.#prepare ? statementName({ sql }) : '';
    const text = this.#schema === undefined ? sql : sql.replace(NAMED, (before) => before + this.#schema);
    return this.#connection.send(text, values, name && name + this.#suffix);
  }
}

const drivers = new WeakMap<PostgresClient, Map<string, Driver>>();

/** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
export function driverOf({ client, schema, prepare = false }: PostgresOptions): Driver {
  const isName = schema === undefined || (typeof schema === 'string' && schema !== '' && !schema.includes('\0'));
  expect(isName, '`schema` must be the name of a schema.');
  expect(typeof prepare === 'boolean', '`prepare` must be a boolean.');
  const clientDrivers = drivers.get(client) ?? new Map<string, Driver>();
  const settings = JSON.stringify([schema, prepare]);
  const driver = clientDrivers.get(settings) ?? new PostgresDriver(connectionOf(client), schema, prepare);
  drivers.set(client, clientDrivers.set(settings, driver));
  return driver;
}

/** A name in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
