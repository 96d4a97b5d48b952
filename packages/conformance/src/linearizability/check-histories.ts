import type { StoreCapabilities } from '@keepsake/core';
import { checkHistory } from './check-history.ts';
import { checkPlans } from './check-plans.ts';
import { checkVersions, type RecordCall, recordModel, withSearchesSplit } from './record-calls.ts';
import { type Client, recordHistory } from './record-history.ts';
import { recordPlans } from './record-plans.ts';
import { type SessionCall, sessionModel } from './session-calls.ts';
import { type SessionCallKinds, sessionPlans } from './session-plans.ts';

const CLIENTS = 4;
const CALLS = 7;

/** Generated histories of 4 clients that make 7 calls each. */
export interface Histories<Call> {
  /** The number of histories. */
  readonly count: number;
  /** Repeats the calls of an earlier run, whose failure names it. @default another one each time */
  readonly seed?: number | undefined;
  /** Ends after the history in which this time has passed. @default never */
  readonly timeLimitMs?: number | undefined;
  /** A client of a history, counted from 0. All clients of a history use the same new place; no two histories share one. */
  readonly client: (history: number, client: number) => Client<Call>;
}

/**
 * Checks that concurrent callers of a session see the results of some order of their calls.
 *
 * @throws AssertionError with the history, if no order of its calls explains the results.
 */
export async function checkSessionHistories(
  { client, ...options }: Histories<SessionCall>,
  kinds: SessionCallKinds,
): Promise<void> {
  await checkPlans(sessionPlans(CLIENTS, CALLS, kinds), options, async (plans, history) => {
    const clients = plans.map((_, index) => client(history, index));
    checkHistory(await recordHistory(clients, plans), sessionModel);
  });
}

/**
 * Checks that concurrent callers of a record store see the results of some order of their calls. A search may see each record
 * at a moment of its own, and may miss one that changes meanwhile.
 *
 * @throws AssertionError with the history, if no order of its calls explains the results.
 */
export async function checkRecordHistories(
  { client, ...options }: Histories<RecordCall>,
  capabilities: StoreCapabilities,
): Promise<void> {
  await checkPlans(recordPlans(CLIENTS, CALLS, capabilities), options, async (plans, history) => {
    const clients = plans.map((_, index) => client(history, index));
    const recorded = await recordHistory(clients, plans);
    checkHistory(withSearchesSplit(recorded), recordModel);
    checkVersions(recorded);
  });
}
