import { isMemoryError, MemoryError } from '@keepsake/core';

/** A driver's description of an error, as Prisma passes it on. */
interface DriverCause {
  readonly kind?: unknown;
  readonly originalCode?: unknown;
  readonly originalMessage?: unknown;
  readonly message?: unknown;
}

/** The parts of an error that tell what to do about it. */
export interface Failure {
  /** The SQLSTATE of PostgreSQL or the result code of SQLite; '' if the database did not answer. */
  readonly code: string;
  readonly message: string;
  /** Prisma's name for the error. */
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
 * Whether the database rolled a statement back because of concurrent ones, so that it can be retried: PostgreSQL's
 * serialization failures and deadlocks, Prisma's P2034, and SQLite's SQLITE_BUSY and SQLITE_LOCKED.
 */
export function isCollision(error: unknown): boolean {
  const { code, kind, message } = failureOf(error);
  if (kind === 'TransactionWriteConflict' || kind === 'P2034') return true;
  return code === '40001' || code === '40P01' || /\bSQLITE_(BUSY|LOCKED)|database (table )?is locked/.test(message);
}

/** Whether a table or view does not exist. */
function isUnknownTable(error: unknown): boolean {
  const { code, message } = failureOf(error);
  return code === '42P01' || /no such table/.test(message);
}

/** Whether a statement failed because it would set a required column to NULL, as puts do whose condition does not hold. */
function isNullViolation(error: unknown): boolean {
  const { code, message } = failureOf(error);
  return code === '23502' || /NOT NULL constraint failed/.test(message);
}

/** Kinds and codes of errors before anything was sent. The first may pass; the second need a change of the configuration. */
const UNREACHED = new Set(['DatabaseNotReachable', 'TooManyConnections', 'P1001', 'P2024', 'P2037']);
const UNSENT = new Set([
  ...['AuthenticationFailed', 'DatabaseAccessDenied', 'DatabaseDoesNotExist'],
  ...['P1000', 'P1003', 'P1010', 'P2028'],
]);
/** Those of broken connections. */
const BROKEN = new Set(['ConnectionClosed', 'SocketTimeout', 'P1017']);

/**
 * Converts an error of the client to a `MemoryError` that says what to do. If the database refused a statement, it changed
 * nothing; if it did not answer, a write may have happened. `retryable` errors may pass, and changed nothing.
 */
export function asMemoryError(error: unknown, wrote: boolean): MemoryError {
  if (isMemoryError(error)) return error;
  const failure = failureOf(error);
  if (isCollision(error)) {
    return new MemoryError(
      'BACKEND',
      'Concurrent statements kept changing the same rows, so nothing was changed. Try again.',
      { cause: error, retryable: true },
    );
  }
  if (isUnknownTable(error)) return missingTables(error);
  if (isNullViolation(error)) {
    return new MemoryError(
      'CONFLICT',
      'A record is closed, or has another version than expected, so nothing was changed. Read it again.',
      { cause: error },
    );
  }
  const isUnsent = isUnreached(failure);
  if (wrote && !isUnsent && !isRefusal(failure)) {
    return new MemoryError(
      'OUTCOME_UNKNOWN',
      'The connection broke before the database answered, so the change may have happened. Read, or retry with the same id.',
      { cause: error },
    );
  }
  return new MemoryError('BACKEND', 'The database refused the statement or could not be reached. See the cause.', {
    cause: error,
    ...((isUnsent || isBrokenLink(failure)) && { retryable: true }),
  });
}

/** Whether nothing was sent because the database was unreachable or too busy. */
function isUnreached({ kind, message }: Failure): boolean {
  return UNREACHED.has(kind) || /timeout exceeded when trying to connect|due to connection timeout/.test(message);
}

function isBrokenLink({ code, kind, message }: Failure): boolean {
  return BROKEN.has(kind) || isEnd(code) || /Connection terminated/.test(message);
}

/** 57P is a shutdown by the administrator, class 08 a broken connection. */
function isEnd(code: string): boolean {
  return code.startsWith('57P') || code.startsWith('08');
}

/** Whether it is certain that nothing was changed. A connection may end after the commit. */
function isRefusal({ code, kind }: Failure): boolean {
  return UNSENT.has(kind) || (code !== '' && !isEnd(code));
}

/** For a collision in a transaction that the caller has opened. */
export function brokenTransaction(cause: unknown): MemoryError {
  return new MemoryError(
    'BACKEND',
    'A concurrent statement changed the same rows, so this transaction cannot commit. Roll it back and retry all of it.',
    { cause },
  );
}

/** Its message says how to create the tables. */
export function missingTables(cause?: unknown): MemoryError {
  return new MemoryError(
    'BACKEND',
    "This database does not have Keepsake's tables. Run `npx keepsake-prisma init`, which adds them to your Prisma schema and migrations, then `npx prisma migrate deploy` (`prisma db push` is not enough). Or apply the SQL in node_modules/@keepsake/prisma/migrations. If the tables are in a PostgreSQL schema other than public, connect with that schema on the search_path.",
    { cause },
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
