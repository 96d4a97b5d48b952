import { isMemoryError, MemoryError } from '@keepsake/core';
import type { TablesHelp } from './driver.ts';
import { type Failure, failureOf } from './failure.ts';
import { type Refusal, refusalOf } from './refusals.ts';

/**
 * Whether the database rolled a statement back because of concurrent ones, so that it can be retried: PostgreSQL's
 * serialization failures and deadlocks, Prisma's P2034, and SQLite's SQLITE_BUSY and SQLITE_LOCKED.
 */
export function isCollision(error: unknown): boolean {
  const { code, kind } = failureOf(error);
  if (kind === 'TransactionWriteConflict' || kind === 'P2034') return true;
  return code === '40001' || code === '40P01' || isBusy(error);
}

/** Whether SQLite found the database locked. */
export function isBusy(error: unknown): boolean {
  return /\bSQLITE_(BUSY|LOCKED)|database (table )?is locked/.test(failureOf(error).message);
}

/** Whether a table or view does not exist. */
function isUnknownTable(error: unknown): boolean {
  const { code, message } = failureOf(error);
  return code === '42P01' || /no such table/.test(message);
}

/** Names of Prisma, postgres.js and Node for broken connections. */
const BROKEN = new Set([
  ...['ConnectionClosed', 'SocketTimeout', 'P1017'],
  ...['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
]);

/**
 * Converts an error of the client to a `MemoryError` that says what to do. If the database refused a statement, it changed
 * nothing; if it did not answer, a write may have happened. `retryable` errors may pass, and changed nothing.
 */
export function asMemoryError(error: unknown, wrote: boolean, tables: TablesHelp): MemoryError {
  if (isMemoryError(error)) return error;
  const failure = failureOf(error);
  if (isCollision(error)) {
    return new MemoryError(
      'BACKEND',
      'Concurrent statements kept changing the same rows, so nothing was changed. Try again.',
      { cause: error, retryable: true },
    );
  }
  if (isUnknownTable(error)) return missingTables(tables, error);
  const refusal = refusalOf(failure);
  if (refusal !== undefined) return refused(refusal, error);
  if (wrote && !isAnswer(failure)) {
    const [event, advice] = isFullDisk(failure)
      ? ['The disk of the database is full, and the server stopped', 'Free some space and start the server, then read']
      : ['The connection broke before the database answered', 'Read'];
    return new MemoryError(
      'OUTCOME_UNKNOWN',
      `${event}, so the change may have happened. ${advice}, or retry with the same id.`,
      { cause: error },
    );
  }
  if (isFullDisk(failure)) return refused(STOPPED, error);
  if (isBrokenLink(failure)) return refused(NO_ANSWER, error);
  return refused(UNKNOWN_REASON, error);
}

const UNKNOWN_REASON: Refusal = {
  message: 'The database or its client refused the statement. See the cause.',
  mayPass: false,
};
const STOPPED: Refusal = {
  message:
    'The disk of the database is full, and the server stopped. Free some space and start the server, then try again.',
  mayPass: true,
};
const NO_ANSWER: Refusal = { message: 'The connection broke before the database answered. Try again.', mayPass: true };

function refused({ message, mayPass }: Refusal, cause: unknown): MemoryError {
  return new MemoryError('BACKEND', message, { cause, ...(mayPass && { retryable: true }) });
}

function isBrokenLink({ code, kind, message }: Failure): boolean {
  return BROKEN.has(kind) || isEnd(code) || /Connection terminated|Query read timeout/.test(message);
}

/** Whether the disk with the write-ahead log is full, which ends the server: a full disk with tables is a refusal. */
function isFullDisk({ code, severity }: Failure): boolean {
  return code === '53100' && severity === 'PANIC';
}

/** 57P is a shutdown by the administrator, class 08 a broken connection, 40003 an outcome that a proxy does not know. */
function isEnd(code: string): boolean {
  return code.startsWith('57P') || code.startsWith('08') || code === '40003';
}

/** Whether the database answered that it changed nothing. A connection may end after the commit. */
function isAnswer({ code, severity }: Failure): boolean {
  return code !== '' && !isEnd(code) && severity !== 'PANIC';
}

/** For an error in a transaction that the caller has opened. A retry within it cannot succeed. */
export function transactionError(error: unknown, wrote: boolean, tables: TablesHelp): MemoryError {
  if (isCollision(error)) return brokenTransaction('A concurrent statement changed the same rows.', error);
  const converted = asMemoryError(error, wrote, tables);
  return converted.retryable ? brokenTransaction(converted.message, converted.cause) : converted;
}

function brokenTransaction(reason: string, cause: unknown): MemoryError {
  const advice = 'After that, this transaction cannot commit. Roll it back and retry all of it.';
  return new MemoryError('BACKEND', `${reason} ${advice}`, { cause });
}

/** Its message says how to create the tables. */
export function missingTables({ missing }: TablesHelp, cause?: unknown): MemoryError {
  return new MemoryError('BACKEND', missing, { cause });
}
