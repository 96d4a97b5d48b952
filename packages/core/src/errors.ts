import { isObject } from './is-object.ts';

/**
 * What went wrong, in a form that programs can act on. Codes are stable: they never change their meaning.
 *
 * - `INVALID_ARGUMENT`: what was passed in can't be used; nothing was written.
 * - `UNSUPPORTED`: this backend can't do that, now or later (see its capabilities).
 * - `READ_ONLY`: the store was opened for reading.
 * - `CONFLICT`: somebody else changed it first, or an operation id was used for something else; nothing was written.
 * - `TOO_LARGE`: over a documented limit; nothing was written.
 * - `TIMEOUT`: not done within the time that was set.
 * - `ABORTED`: the caller's signal was aborted.
 * - `OUTCOME_UNKNOWN`: the link broke after sending, so it may have happened. Retry with the same operation id.
 * - `CORRUPT`: stored data is damaged; what is damaged is kept as it is.
 * - `CLOSED`: used after `close()`.
 * - `BACKEND`: the backend failed; `cause` holds its error.
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
 * The one error class of Keepsake. Its message says what to do, and never holds content, queries or credentials.
 *
 * Test with {@link isMemoryError} rather than `instanceof`: two copies of this package may be installed side by side.
 */
export class MemoryError extends Error {
  /** What kind of failure this is. */
  readonly code: MemoryErrorCode;
  /** Whether the very same call may well succeed later, as after throttling: nothing was written, nothing needs mending. */
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

/** Whether `error` is a {@link MemoryError} of any copy of this package, and of `code` where one is given. */
export function isMemoryError(error: unknown, code?: MemoryErrorCode): error is MemoryError {
  if (!isObject(error) || !(marker in error)) return false;
  return code === undefined || (error as unknown as MemoryError).code === code;
}
