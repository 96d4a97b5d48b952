import { appending } from './appending.ts';
import { clearing } from './clearing.ts';
import { compaction } from './compaction.ts';
import { concurrency } from './concurrency.ts';
import { concurrentChanges } from './concurrent-changes.ts';
import { encryption } from './encryption.ts';
import { faults } from './faults.ts';
import type { SessionCaseGroup } from './harness.ts';
import { generated } from './histories.ts';
import { hostileIds } from './hostile-ids.ts';
import { hostileValues } from './hostile-values.ts';
import { identity } from './identity.ts';
import { isolation } from './isolation.ts';
import { json } from './json.ts';
import { limits } from './limits.ts';
import { linearizability } from './linearizability.ts';
import { mutations } from './mutations.ts';
import { notJson } from './not-json.ts';
import { operationIds } from './operation-ids.ts';
import { popping } from './popping.ts';
import { reading } from './reading.ts';
import { transactions } from './transactions.ts';
import { windows } from './windows.ts';

/** Every promise of `DurableSession`. */
export const sessionCases: readonly SessionCaseGroup[] = [
  identity,
  reading,
  appending,
  popping,
  clearing,
  json,
  notJson,
  hostileValues,
  isolation,
  transactions,
  operationIds,
  mutations,
  compaction,
  concurrency,
  concurrentChanges,
  linearizability,
  hostileIds,
  limits,
  windows,
  encryption,
  generated,
  faults,
];
