import { checkRecordHistories } from '../linearizability/check-histories.ts';
import { recordClient } from '../linearizability/record-calls.ts';
import type { RecordStoreCases } from './helpers.ts';

/** Few enough for a slow backend. */
const HISTORIES = { count: 10, timeLimitMs: 10_000 };

export const linearizability: RecordStoreCases = {
  concern: 'Linearizability',
  cases: [
    {
      title: 'the results of concurrent callers are those of some order of their calls, searches included',
      when: ({ consistency }) => consistency === 'strong',
      async run(harness, capabilities) {
        const open = (history: number) => harness.open({ namespace: ['linearizability', `history ${history}`] });
        const client = (history: number) => recordClient(open(history));
        await checkRecordHistories({ ...HISTORIES, client }, capabilities);
      },
    },
  ],
};
