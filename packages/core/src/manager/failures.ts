import { quoted } from '../text.ts';
import { type Logger, warn } from './logger.ts';
import type { ReportFailure } from './report.ts';
import { errorType } from './telemetry.ts';

/** Tells of failures that are not thrown: the logger in a line without contents, and whoever listens. */
export function failureReporter(logger: Logger, listener: ReportFailure | undefined): ReportFailure {
  return (failure) => {
    const { storeName, operation, error, count } = failure;
    const what = count === undefined ? operation : `${operation} of ${count}`;
    warn(logger, `Memory store ${quoted(storeName)} failed: ${what} (${errorType(error)}).`);
    // Listeners may throw, or be async and reject; neither is a reason to fail.
    (async () => listener?.(failure))().catch(() => {});
  };
}
