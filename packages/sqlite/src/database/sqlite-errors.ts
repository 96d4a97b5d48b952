import { isMemoryError, MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { damaged } from './stored-values.ts';

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const ERROR = 1;
const NO_PERMISSION = 3;
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const CAN_NOT_OPEN = 14;
const TOO_BIG = 18;
const NOT_A_DATABASE = 26;

/** The primary result code of an error of `node:sqlite`; `undefined` for any other error. */
function resultCode(error: unknown): number | undefined {
  const code = isObject(error) && 'errcode' in error ? error.errcode : undefined;
  // The upper bits tell more precisely what happened.
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Whether another connection holds a lock, so that the same call can succeed soon. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** The `MemoryError` for a failure. Names neither values nor the file. */
export function toMemoryError(cause: unknown): MemoryError {
  if (isMemoryError(cause)) return cause;
  if (isTooLargeNumber(cause)) return damaged('A number');
  switch (resultCode(cause)) {
    case ERROR:
      return /within a transaction/.test(String(cause)) ? inTransaction(cause) : failed(cause);
    case BUSY:
    case LOCKED:
      return new MemoryError(
        'TIMEOUT',
        'Other connections kept the database locked. Nothing was changed. Retry later.',
        {
          cause,
          retryable: true,
        },
      );
    case CORRUPT:
    case NOT_A_DATABASE:
      return new MemoryError('CORRUPT', 'The file is damaged or not an SQLite database. Restore a backup.', { cause });
    case FULL:
      return new MemoryError('BACKEND', 'The disk is full. Nothing was changed. Free some space and retry.', { cause });
    case READ_ONLY:
      return new MemoryError('BACKEND', 'The database is read-only. Check the permissions of its file and directory.', {
        cause,
      });
    case NO_PERMISSION:
    case CAN_NOT_OPEN:
      return notOpened(cause);
    case TOO_BIG:
      return new MemoryError('TOO_LARGE', 'SQLite can not store a value of this size. Nothing was changed.', { cause });
    default:
      return isObject(cause) && 'syscall' in cause ? notOpened(cause) : failed(cause);
  }
}

/** `node:sqlite` refuses to read an integer that no JavaScript number can hold. The package writes none. */
function isTooLargeNumber(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
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
