import { isObject } from '@keepsake/internal';

/**
 * The kind of failure. Codes are stable: they never change their meaning.
 *
 * - `INVALID_ARGUMENT`: an argument is invalid; nothing was written.
 * - `UNSUPPORTED`: this backend can't do that (see its capabilities).
 * - `READ_ONLY`: the store was opened for reading.
 * - `CONFLICT`: another writer changed it first, or the operation id was used for another change; nothing was written.
 * - `TOO_LARGE`: over a documented limit; nothing was written.
 * - `TIMEOUT`: not done within the deadline.
 * - `ABORTED`: the caller's signal was aborted.
 * - `OUTCOME_UNKNOWN`: the connection broke after sending, so the change may have happened. Retry with the same operation
 *   id.
 * - `CORRUPT`: stored data is damaged. It is kept as it is.
 * - `CLOSED`: used after `close()`.
 * - `BACKEND`: the backend failed; `cause` is its error.
 */
export type MemoryErrorCode =
  | 'INVALID_ARGUMENT'
  | 'UNSUPPORTED'
  | 'READ_ONLY'
  | 'CONFLICT'
  | 'TOO_LARGE'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'OUTCOME_UNKNOWN'
  | 'CORRUPT'
  | 'CLOSED'
  | 'BACKEND';

const marker = Symbol.for('keepsake.MemoryError');

/**
 * The one error class of Keepsake. Its message says what to do and never contains content, queries or credentials.
 *
 * Test with {@link isMemoryError}, not `instanceof`: two copies of this package may be installed.
 */
export class MemoryError extends Error {
  /** What kind of failure this is. */
  readonly code: MemoryErrorCode;
  /**
   * `true` if the same call may succeed later without any change, as after throttling; nothing was written. Never `true` for
   * a call that is refused each time, such as one with an invalid argument.
   */
  readonly retryable?: boolean;

  constructor(
    code: MemoryErrorCode,
    message: string,
    options?: { readonly cause?: unknown; readonly retryable?: boolean },
  ) {
    super(message, options);
    this.name = 'MemoryError';
    this.code = code;
    if (options?.retryable !== undefined) this.retryable = options.retryable;
    Object.defineProperty(this, marker, { value: true });
  }
}

/** Whether `error` is a {@link MemoryError} of any copy of this package, with `code` if given. Never throws. */
export function isMemoryError(error: unknown, code?: MemoryErrorCode): error is MemoryError {
  try {
    return isObject(error) && marker in error && (code === undefined || (error as { code?: unknown }).code === code);
  } catch {
    // Code that throws anything may throw a proxy that was revoked.
    return false;
  }
}
