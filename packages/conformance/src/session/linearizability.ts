import { checkSessionHistories } from '../linearizability/check-histories.ts';
import { sessionClient } from '../linearizability/session-calls.ts';
import { durable, type SessionCaseGroup } from './harness.ts';

/** Few enough for a slow backend. */
const HISTORIES = { count: 10, timeLimitMs: 10_000 };

export const linearizability: SessionCaseGroup = {
  concern: 'linearizability',
  cases: [
    {
      title: 'the results of concurrent callers are those of some order of their calls',
      async run(harness, capabilities) {
        const sessions = Array.from({ length: HISTORIES.count }, () => harness.open());
        const ids = await Promise.all(sessions.map((session) => session.getSessionId()));
        // If instances share nothing, concurrent callers of one instance need the same guarantees.
        const open = (history: number) => (capabilities.shared ? harness.open(ids[history]) : sessions[history]);
        await checkSessionHistories(
          { ...HISTORIES, client: (history) => sessionClient(open(history) as ReturnType<typeof harness.open>) },
          { clear: capabilities.keepsIdOnClear, durable: durable(capabilities) },
        );
      },
    },
  ],
};
