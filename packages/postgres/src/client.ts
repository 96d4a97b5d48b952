import { MemoryError } from '@keepsake/core';

/** A `Pool`, `Client` or `PoolClient` of `pg`, or of a driver with its interface, such as those of Neon and Vercel. */
export interface PgLike {
  query(statement: {
    text: string;
    values: unknown[];
    name?: string;
  }): PromiseLike<{ rows: unknown[]; rowCount: number | null }>;
  /** Only pools have it. */
  readonly totalCount?: number;
  /** Before pg 8.17, clients lack it. They are then taken for transactions. */
  getTransactionStatus?(): string | null;
}

/** `sql` of `postgres` (postgres.js), or that of one of its transactions or reserved connections. */
export interface PostgresJsLike {
  /** The driver names the types of values that it can send: `never` fits all of them. */
  unsafe(sql: string, values: never[], options: { prepare: boolean }): PromiseLike<{ readonly length: number }>;
  /** Transactions and reserved connections lack it. */
  readonly begin?: unknown;
}

/** A `PGlite`, or one of its transactions. */
export interface PGliteLike {
  query(sql: string, values: unknown[]): Promise<{ rows: unknown[]; affectedRows?: number }>;
  exec(sql: string): Promise<{ rows: unknown[]; affectedRows?: number }[]>;
  /** Only transactions have it. */
  rollback?(): Promise<void>;
}

/** The clients that Keepsake can use, by their methods. Keepsake never closes them, and passes every value as a parameter. */
export type PostgresClient = PgLike | PostgresJsLike | PGliteLike;

/** What a statement did. */
interface Outcome {
  readonly rows: unknown[];
  /** How many rows it returned or changed. */
  readonly count: number;
}

/** A client of any driver. */
export interface Connection {
  /** Whether the caller has opened a transaction with the client. */
  readonly isTransaction: boolean;
  /** Whether the driver has prepared statements. */
  readonly canPrepare: boolean;
  /**
   * Sends a statement; without values, a script of several, which is one transaction.
   *
   * @param name - That of a prepared statement; '' for none.
   */
  send(sql: string, values: readonly unknown[], name: string): Promise<Outcome>;
}

/** @throws MemoryError `INVALID_ARGUMENT` if this is not a client of a known driver. */
export function connectionOf(client: PostgresClient): Connection {
  if (has(client, 'unsafe')) return overPostgresJs(client as PostgresJsLike);
  if (has(client, 'query')) return has(client, 'exec') ? overPGlite(client as PGliteLike) : overPg(client as PgLike);
  throw new MemoryError(
    'INVALID_ARGUMENT',
    '`client` must be a Pool or Client of pg, `sql` of postgres.js, or a PGlite. With Drizzle, pass db.$client; with Kysely, the pool of its dialect.',
  );
}

function has(client: unknown, method: string): boolean {
  return typeof (client as Record<string, unknown> | null | undefined)?.[method] === 'function';
}

function overPg(client: PgLike): Connection {
  const isPool = client.totalCount !== undefined;
  let last: Promise<unknown> = Promise.resolve();
  const send: Connection['send'] = async (text, values, name) => {
    const { rows = [], rowCount } = await client.query({ text, values: [...values], ...(name && { name }) });
    return { rows, count: rowCount ?? 0 };
  };
  return {
    canPrepare: true,
    get isTransaction() {
      if (isPool) return false;
      return client.getTransactionStatus === undefined || /[TE]/.test(client.getTransactionStatus() ?? '');
    },
    send(...statement) {
      if (isPool) return send(...statement);
      // pg will refuse a second statement while a client is at the first.
      const sent = last.then(() => send(...statement));
      last = sent.catch(() => {});
      return sent;
    },
  };
}

function overPostgresJs(sql: PostgresJsLike): Connection {
  return {
    isTransaction: !has(sql, 'begin'),
    canPrepare: true,
    async send(text, values, name) {
      const rows = (await sql.unsafe(text, [...values] as never[], { prepare: name !== '' })) as Row[] & {
        readonly count: number;
      };
      return { rows: withStoredNames(rows), count: rows.count };
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

/** The names of columns as they are in the tables. A `transform` of the client, such as `postgres.camel`, changes them. */
function withStoredNames(rows: readonly Row[]): Row[] {
  const stored = (name: string) =>
    name
      .replace(/(?<=[a-z])[A-Z]/g, '_$&')
      .replaceAll('-', '_')
      .toLowerCase();
  const isChanged = Object.keys(rows[0] ?? {}).some((name) => name !== stored(name));
  if (!isChanged) return rows as Row[];
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [stored(name), value])));
}

function overPGlite(client: PGliteLike): Connection {
  return {
    isTransaction: has(client, 'rollback'),
    canPrepare: false,
    async send(sql, values) {
      const outcome = values.length === 0 ? (await client.exec(sql)).at(-1) : await client.query(sql, [...values]);
      return { rows: outcome?.rows ?? [], count: outcome?.affectedRows ?? 0 };
    },
  };
}
