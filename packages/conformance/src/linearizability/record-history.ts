import { isMemoryError } from '@keepsake/core';
import type { RecordedCall } from './linearizable.ts';

/** One of several callers: an instance in this process, or a program that runs in another. */
export interface Client<Call> {
  /**
   * Performs a call. Resolves to its result as text, or to `undefined` if it is unknown whether it took effect, as after a
   * kill.
   */
  perform(call: Call): Promise<string | undefined>;
}

/** The result of an action as text, where errors of the contract are results too. */
export async function outcomeOf(action: () => Promise<string>): Promise<string | undefined> {
  try {
    return await action();
  } catch (error) {
    if (isMemoryError(error, 'OUTCOME_UNKNOWN')) return undefined;
    if (isMemoryError(error)) return error.code;
    throw error;
  }
}

/** What a client does next, in view of what it saw last. */
export type Step<Call> = (lastOutcome: string | undefined) => Call;

/** Lets each client make its calls one after the other, all clients at the same time. */
export async function recordHistory<Call>(
  clients: readonly Client<Call>[],
  plans: readonly (readonly Step<Call>[])[],
): Promise<RecordedCall<Call>[]> {
  const history: RecordedCall<Call>[] = [];
  let clock = 0;
  await Promise.all(
    plans.map(async (steps, client) => {
      let last: string | undefined;
      for (const step of steps) {
        const call = step(last);
        const start = clock++;
        const outcome = await clients[client]?.perform(call);
        history.push({ client, call, outcome, start, end: clock++ });
        last = outcome;
      }
    }),
  );
  return history;
}
