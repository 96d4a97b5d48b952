import { isMemoryError, MemoryError } from '@keepsake/core';

/** What a driver said of an error, as Prisma hands it on. */
interface DriverCause {
  readonly kind?: unknown;
  readonly originalCode?: unknown;
  readonly originalMessage?: unknown;
  readonly message?: unknown;
}

/** What an error says to those who have to act on it. */
export interface Failure {
  /** The SQLSTATE of PostgreSQL, the result code of SQLite; '' where the database did not answer. */
  readonly code: string;
  readonly message: string;
  /** Prisma's name of what happened. */
  readonly kind: string;
}

export function failureOf(error: unknown): Failure {
  const { code, meta, message } = (error ?? {}) as { code?: unknown; meta?: unknown; message?: unknown };
  const cause = (meta as { driverAdapterError?: { cause?: DriverCause } } | undefined)?.driverAdapterError?.cause;
  return {
    code: textOf(cause?.originalCode),
    message: textOf(cause?.originalMessage ?? cause?.message ?? message),
    kind: textOf(cause?.kind ?? code),
  };
}

/**
 * Whether the database undid all of a statement since others came in its way, so that it can be sent again: PostgreSQL's
 * serialization failures and deadlocks, Prisma's P2034, and SQLite's SQLITE_BUSY and SQLITE_LOCKED.
 */
export function isCollision(error: unknown): boolean {
  const { code, kind, message } = failureOf(error);
  if (kind === 'TransactionWriteConflict' || kind === 'P2034') return true;
  return code === '40001' || code === '40P01' || /\bSQLITE_(BUSY|LOCKED)|database (table )?is locked/.test(message);
}

/** Whether an error says that a table or view is not there. */
function isUnknownTable(error: unknown): boolean {
  const { code, message } = failureOf(error);
  return code === '42P01' || /no such table/.test(message);
}

/** Kinds and codes of errors that come before anything is sent: those that may pass, and those that somebody has to mend. */
const UNREACHED = new Set(['DatabaseNotReachable', 'TooManyConnections', 'P1001', 'P2024', 'P2037']);
const UNSENT = new Set([
  ...['AuthenticationFailed', 'DatabaseAccessDenied', 'DatabaseDoesNotExist'],
  ...['P1000', 'P1003', 'P1010', 'P2028'],
]);
/** Those of links that broke. */
const BROKEN = new Set(['ConnectionClosed', 'SocketTimeout', 'P1017']);

/**
 * An error of the client as a `MemoryError` that says what to do. What the database itself refuses changed nothing; where
 * it did not answer, a write may have happened. `retryable` is what may pass by itself, and changed nothing.
 */
export function asMemoryError(error: unknown, wrote: boolean): MemoryError {
  if (isMemoryError(error)) return error;
  const failure = failureOf(error);
  if (isCollision(error)) {
    return new MemoryError(
      'BACKEND',
      'The database was too busy with others at the same place: nothing was changed. Try again.',
      { cause: error, retryable: true },
    );
  }
  if (isUnknownTable(error)) return missingTables(error);
  const isUnsent = isUnreached(failure);
  if (wrote && !isUnsent && !isRefusal(failure)) {
    return new MemoryError(
      'OUTCOME_UNKNOWN',
      'The link to the database broke before it answered: the change may have happened. Read, or retry with the same id.',
      { cause: error },
    );
  }
  return new MemoryError('BACKEND', 'The database refused this or could not be reached, see the cause.', {
    cause: error,
    ...((isUnsent || isBrokenLink(failure)) && { retryable: true }),
  });
}

/** Whether nothing was sent, as the database was not there or too busy. */
function isUnreached({ kind, message }: Failure): boolean {
  return UNREACHED.has(kind) || /timeout exceeded when trying to connect|due to connection timeout/.test(message);
}

function isBrokenLink({ code, kind, message }: Failure): boolean {
  return BROKEN.has(kind) || isEnd(code) || /Connection terminated/.test(message);
}

/** Class 57 is an end by the administrator, 08 a broken link. */
function isEnd(code: string): boolean {
  return code.startsWith('57P') || code.startsWith('08');
}

/** Whether it is certain that nothing was changed. Where a link ends, the commit may have come before. */
function isRefusal({ code, kind }: Failure): boolean {
  return UNSENT.has(kind) || (code !== '' && !isEnd(code));
}

/** Says that a transaction of the caller's can't be completed. */
export function brokenTransaction(cause: unknown): MemoryError {
  return new MemoryError(
    'BACKEND',
    'Others were at the same place, so this transaction can not be completed. End it, and try again with all of it.',
    { cause },
  );
}

/** Says how to get the tables. */
export function missingTables(cause?: unknown): MemoryError {
  return new MemoryError(
    'BACKEND',
    'This database does not have the tables of Keepsake. `npx keepsake-prisma init` puts them into your Prisma schema and migrations; then run `npx prisma migrate deploy` (`prisma db push` makes only a part). Or apply the SQL in node_modules/@keepsake/prisma/migrations. Where they are in another schema of PostgreSQL than public, connect with that on the search_path.',
    { cause },
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
