import { describe, it } from 'vitest';
import { beginningCases } from './record-logs/beginning.ts';
import { changingCases } from './record-logs/changing.ts';
import { clearingCases } from './record-logs/clearing.ts';
import { concurrentCases } from './record-logs/concurrent.ts';
import { followingCases } from './record-logs/following.ts';
import type { RecordLogsCase, RecordLogsHarness } from './record-logs/harness.ts';
import { indexConflictCases } from './record-logs/index-conflicts.ts';
import { indexCases } from './record-logs/indexes.ts';
import { listingCases } from './record-logs/listing.ts';
import { namespaceCases } from './record-logs/namespaces.ts';
import { readingCases } from './record-logs/reading.ts';

export type { RecordLogsHarness } from './record-logs/harness.ts';

/** What `RecordLogs` promises, one case each. */
export const recordLogsCases: readonly RecordLogsCase[] = [
  ...readingCases,
  ...changingCases,
  ...followingCases,
  ...beginningCases,
  ...concurrentCases,
  ...listingCases,
  ...clearingCases,
  ...namespaceCases,
  ...indexCases,
  ...indexConflictCases,
];

/**
 * Tests an implementation of `RecordLogs`.
 *
 * @param start - Makes a new backend without records for each case.
 */
export function describeRecordLogs(name: string, start: () => RecordLogsHarness | Promise<RecordLogsHarness>): void {
  describe(`the record logs of ${name}`, () => {
    for (const { title, run } of recordLogsCases) {
      it(title, async () => {
        await run(await start());
      });
    }
  });
}
