import { quoted } from '@keepsake/internal';
import { MemoryError } from '../../common/errors.ts';

/**
 * The number of saved and of failed messages, per store. Failed ones are kept and tried again. Those that were given up or left
 * out are reported and count as neither.
 */
export type FlushResult = Record<string, { readonly saved: number; readonly failed: number }>;

/** The sum of several results. */
export function addResults(results: readonly FlushResult[]): FlushResult {
  const sum: FlushResult = {};
  for (const [name, { saved, failed }] of results.flatMap((result) => Object.entries(result))) {
    sum[name] = { saved: saved + (sum[name]?.saved ?? 0), failed: failed + (sum[name]?.failed ?? 0) };
  }
  return sum;
}

/** Throws `BACKEND` if a store could not save everything. */
export function expectSaved(result: FlushResult): void {
  const failed = Object.entries(result).filter(([, one]) => one.failed > 0);
  if (failed.length === 0) return;
  const list = failed.map(([name, one]) => `${quoted(name)} (${one.failed})`).join(', ');
  throw new MemoryError(
    'BACKEND',
    `Messages are not saved yet in these stores: ${list}. Flush again, or see the errors passed to telemetry.onStoreError.`,
  );
}
