import { quoted } from '../../common/text.ts';
import { type Logger, warn } from '../options/logger.ts';
import type { ReportFailure } from './report.ts';
import { errorType } from './telemetry.ts';

/** Reports failures that are not thrown, to the logger without contents, and to the listener. */
export function failureReporter(logger: Logger, listener: ReportFailure | undefined): ReportFailure {
  return (failure) => {
    const { storeName, operation, error, count, skippedForMs } = failure;
    const what = count === undefined ? operation : `${operation} of ${count}`;
    const skipped = skippedForMs === undefined ? '' : ` Searches skip it for ${skippedForMs / 1_000} s.`;
    warn(logger, `Memory store ${quoted(storeName)} failed: ${what} (${errorType(error)}).${skipped}`);
    // Errors of listeners, sync or async, are ignored.
    (async () => listener?.(failure))().catch(() => {});
  };
}
