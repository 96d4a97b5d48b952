import type { Failure } from './failure.ts';

/** Why the database or the client refused a statement. It changed nothing. */
export interface Refusal {
  /** What happened, and what to do. */
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly mayPass: boolean;
}

const UNREACHED = passing('The database could not be reached. Try again, or check its address and that it is running.');
const POOL = passing('No connection of the pool became free in time. Try again, or use a larger pool.');
const TOO_MANY = passing('The database has no free connection (`max_connections`). Try again, or use a smaller pool.');
const CLOSED = lasting('The client was closed. Pass one that is open.');
const REJECTED = lasting('The database rejected the user or password. Check the connection string of the client.');
const NO_DATABASE = lasting('The database does not exist. Check the connection string of the client.');

const NOT_PREPARED = lasting(
  'The connection does not have the prepared statements of the client, as behind a pooler that does not support them. Leave out `prepare` (with Prisma, `statementNameGenerator`), or have the pooler support them: `max_prepared_statements` of PgBouncer.',
);

/** By SQLSTATE of PostgreSQL, https://www.postgresql.org/docs/current/errcodes-appendix.html, and by names of Prisma and postgres.js. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  '57014': passing('The statement was canceled, as `statement_timeout` does. Try again, or raise the limit.'),
  '55P03': passing('Another transaction held a lock longer than `lock_timeout`. Try again, or raise the limit.'),
  // Sent only to new connections.
  '57P03': passing('The database is starting up, recovering or shutting down. Try again in a moment.'),
  '53200': passing('The database is out of memory. Try again in a moment.'),
  '53300': TOO_MANY,
  '53100': lasting('The disk of the database is full. Free some space, then try again.'),
  '25006': lasting(
    'The database takes no writes: it is a standby, or `default_transaction_read_only` is on. Connect to the primary.',
  ),
  '42501': lasting("The user of the client lacks a permission on Keepsake's tables or functions. Grant it."),
  '28000': REJECTED,
  '28P01': REJECTED,
  '3D000': NO_DATABASE,
  '26000': NOT_PREPARED,
  '42P05': NOT_PREPARED,
  DatabaseNotReachable: UNREACHED,
  TooManyConnections: TOO_MANY,
  AuthenticationFailed: REJECTED,
  DatabaseAccessDenied: REJECTED,
  DatabaseDoesNotExist: NO_DATABASE,
  CONNECT_TIMEOUT: UNREACHED,
  CONNECTION_ENDED: CLOSED,
  P1000: REJECTED,
  P1001: UNREACHED,
  P1003: NO_DATABASE,
  P1010: REJECTED,
  P2024: POOL,
  P2028: lasting('The transaction of the client could not start, or has ended. See the cause.'),
  P2037: TOO_MANY,
};

/** What pg and PGlite say about a client that was closed. They have sent nothing. */
const IS_CLOSED = /is not queryable|after calling end on the pool|PGlite is clos|Transaction is closed/;

/** `undefined` if the reason is unknown, or the statement may have been executed. */
export function refusalOf({ code, kind, severity, message }: Failure): Refusal | undefined {
  // The server crashed, maybe after it had committed.
  if (severity === 'PANIC') return undefined;
  if (/timeout exceeded when trying to connect|due to connection timeout/.test(message)) return POOL;
  if (IS_CLOSED.test(message)) return CLOSED;
  return [code, kind].map((name) => (Object.hasOwn(REFUSALS, name) ? REFUSALS[name] : undefined)).find(Boolean);
}

function passing(message: string): Refusal {
  return { message, mayPass: true };
}

function lasting(message: string): Refusal {
  return { message, mayPass: false };
}
