import { quoted } from '@keepsake/internal';
import { isMemoryError, type MemoryErrorCode } from '../../common/errors.ts';
import { type Logger, warn, warnOnce } from '../options/logger.ts';
import type { ReportFailure } from './report.ts';
import { errorType } from './telemetry.ts';

const MINUTE_MS = 60_000;

/** Failures of a backend. The messages of others may quote what was asked for. */
const OF_BACKENDS: readonly MemoryErrorCode[] = ['BACKEND', 'TIMEOUT', 'OUTCOME_UNKNOWN', 'CORRUPT', 'CLOSED'];

/**
 * Reports failures that are not thrown, to the listener and to the logger: without contents, with what the store says, and
 * the same one once a minute.
 */
export function failureReporter(logger: Logger, listener: ReportFailure | undefined): ReportFailure {
  return (failure) => {
    const { storeName, operation, error, count, skippedForMs } = failure;
    const what = count === undefined ? operation : `${operation} of ${count}`;
    const failed = `Memory store ${quoted(storeName)} failed:`;
    const reason = reasonOf(error);
    if (skippedForMs === undefined) {
      warnOnce(logger, `${failed} ${what} ${reason}`, `${failed} ${operation} ${reason}`, MINUTE_MS);
    } else {
      warn(logger, `${failed} ${what} ${reason} Searches skip it for ${skippedForMs / 1_000} s.`);
    }
    // Errors of listeners, sync or async, are ignored.
    (async () => listener?.(failure))().catch(() => {});
  };
}

/** The codes of an error and of its cause, and what a store says of a failing backend, which contains no user content. */
export function reasonOf(error: unknown): string {
  const code = codeOf((error as Error | undefined)?.cause);
  const codes = code === undefined ? errorType(error) : `${errorType(error)}, ${code}`;
  const isOfBackend = isMemoryError(error) && OF_BACKENDS.includes(error.code);
  return `(${codes}).${isOfBackend ? ` ${error.message}` : ''}`;
}

/** The code of the first of an error and its causes that has one, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    const { code } = one as { readonly code?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code)) return code;
  }
  return undefined;
}
