import assert from 'node:assert/strict';
import { type RecordedCall, type SequentialModel, unexplained } from './linearizable.ts';

/** Fails unless some order of the calls explains all results. */
export function checkHistory<State, Call>(
  history: readonly RecordedCall<Call>[],
  model: SequentialModel<State, Call>,
): void {
  const failure = unexplained(history, model);
  if (failure === undefined) return;
  const explained = new Set(failure.explained);
  const left = history.filter((one) => !explained.has(one)).toSorted((a, b) => a.start - b.start);
  assert.fail(
    [
      'No order of these calls explains their results. The longest one that explains some:',
      ...failure.explained.map(callText),
      'and then none of these fits:',
      ...left.map(callText),
    ].join('\n'),
  );
}

function callText<Call>({ client, call, outcome, start, end }: RecordedCall<Call>): string {
  return `  ${start}-${end} client ${client}: ${JSON.stringify(call)} -> ${outcome ?? 'unknown'}`;
}
