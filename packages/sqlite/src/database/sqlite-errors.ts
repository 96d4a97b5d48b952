import { isMemoryError, MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { damaged } from './stored-values.ts';

/** Primary result codes of SQLite by their numbers, https://sqlite.org/rescode.html. */
const NAMES: Readonly<Record<number, string>> = {
  ...{ 1: 'ERROR', 3: 'PERM', 5: 'BUSY', 6: 'LOCKED', 8: 'READONLY', 11: 'CORRUPT', 13: 'FULL', 14: 'CANTOPEN' },
  ...{ 18: 'TOOBIG', 26: 'NOTADB' },
};

/** The name of the primary result code of an error of SQLite, without `SQLITE_`; `undefined` for any other error. */
function resultCode(error: unknown): string | undefined {
  if (!isObject(error)) return undefined;
  const { errcode, code, message } = error as { errcode?: unknown; code?: unknown; message?: unknown };
  // Of node:sqlite. The upper bits tell more precisely what happened.
  if (typeof errcode === 'number') return NAMES[errcode & 0xff];
  // Others have the name as the code; a Durable Object has it in the message.
  return /\bSQLITE_([A-Z]+)/.exec(`${code} ${message}`)?.[1];
}

/** Whether another connection holds a lock, so that the same call can succeed soon. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === 'BUSY' || code === 'LOCKED';
}

/** The `MemoryError` for a failure. Names neither values nor the file. */
export function toMemoryError(cause: unknown): MemoryError {
  if (isMemoryError(cause)) return cause;
  if (isTooLargeNumber(cause)) return damaged('A number');
  if (isClosed(cause)) {
    return new MemoryError('BACKEND', 'The `database` was closed. Nothing was changed. Pass one that is open.', {
      cause,
    });
  }
  switch (resultCode(cause)) {
    case 'ERROR':
      return /within a transaction/.test(String(cause)) ? inTransaction(cause) : failed(cause);
    case 'BUSY':
    case 'LOCKED':
      return new MemoryError(
        'TIMEOUT',
        'Other connections kept the database locked. Nothing was changed. Retry later.',
        {
          cause,
          retryable: true,
        },
      );
    case 'CORRUPT':
    case 'NOTADB':
      return new MemoryError('CORRUPT', 'The file is damaged or not an SQLite database. Restore a backup.', { cause });
    case 'FULL':
      return new MemoryError('BACKEND', 'The disk is full. Nothing was changed. Free some space and retry.', { cause });
    case 'READONLY':
      return new MemoryError('BACKEND', 'The database is read-only. Check the permissions of its file and directory.', {
        cause,
      });
    case 'PERM':
    case 'CANTOPEN':
      return notOpened(cause);
    case 'TOOBIG':
      return new MemoryError('TOO_LARGE', 'SQLite can not store a value of this size. Nothing was changed.', { cause });
    default:
      return isObject(cause) && 'syscall' in cause ? notOpened(cause) : failed(cause);
  }
}

/** `node:sqlite` refuses to read an integer that no JavaScript number can hold. The package writes none. */
function isTooLargeNumber(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

/** In the words of each driver. */
function isClosed(error: unknown): boolean {
  return /database (connection )?is not open|statement has been finalized|closed database/.test(String(error));
}

function failed(cause: unknown): MemoryError {
  return new MemoryError('BACKEND', 'SQLite failed, see the cause. Nothing was changed.', { cause });
}

function inTransaction(cause: unknown): MemoryError {
  return new MemoryError(
    'UNSUPPORTED',
    'The `database` is in a transaction of yours. Nothing was changed. End it first, or use a connection of its own.',
    { cause },
  );
}

function notOpened(cause: unknown): MemoryError {
  return new MemoryError(
    'BACKEND',
    'The file could not be opened, see the cause. Check the permissions of the file and its directory.',
    { cause },
  );
}
