import { describe, expect, it } from 'vitest';
import { type RecordedCall, type SequentialModel, unexplained } from '../../src/linearizability/linearizable.ts';

type Call = { readonly write: number } | 'read';

/** A number that can be written and read. */
const register: SequentialModel<number, Call> = {
  initial: 0,
  key: String,
  apply: (state, call) => (call === 'read' ? { state, outcome: `${state}` } : { state: call.write, outcome: 'done' }),
};

/** A history in a short form: when it began and ended, the call, its outcome. */
function isLinearizable(...calls: readonly [start: number, end: number, call: Call, outcome: string | undefined][]) {
  const history = calls.map(
    ([start, end, call, outcome], client): RecordedCall<Call> => ({ client, call, outcome, start, end }),
  );
  return unexplained(history, register) === undefined;
}

describe('the search for an order of calls', () => {
  it('explains calls that follow each other', () => {
    expect(isLinearizable([0, 1, { write: 1 }, 'done'], [2, 3, 'read', '1'])).toBe(true);
    expect(isLinearizable([0, 1, { write: 1 }, 'done'], [2, 3, 'read', '0'])).toBe(false);
  });

  it('lets calls that overlap take effect in any order', () => {
    expect(isLinearizable([0, 3, { write: 1 }, 'done'], [1, 2, 'read', '0'])).toBe(true);
    expect(isLinearizable([0, 3, { write: 1 }, 'done'], [1, 2, 'read', '1'])).toBe(true);
    expect(isLinearizable([0, 3, { write: 1 }, 'done'], [1, 2, 'read', '2'])).toBe(false);
  });

  it('refuses a read that sees an older value than an earlier read', () => {
    const write: [number, number, Call, string] = [0, 9, { write: 1 }, 'done'];
    expect(isLinearizable(write, [1, 2, 'read', '0'], [3, 4, 'read', '1'])).toBe(true);
    expect(isLinearizable(write, [1, 2, 'read', '1'], [3, 4, 'read', '0'])).toBe(false);
  });

  it('lets a call without an outcome take effect late, or never, but not before its start', () => {
    const unknown: [number, number, Call, undefined] = [2, 3, { write: 1 }, undefined];
    expect(isLinearizable(unknown, [4, 5, 'read', '0'], [8, 9, 'read', '1'])).toBe(true);
    expect(isLinearizable(unknown, [4, 5, 'read', '0'], [8, 9, 'read', '0'])).toBe(true);
    expect(isLinearizable([0, 1, 'read', '1'], unknown)).toBe(false);
    expect(isLinearizable(unknown, [4, 5, 'read', '1'], [8, 9, 'read', '0'])).toBe(false);
  });

  it('tells the longest order that explains some of the calls', () => {
    const history: RecordedCall<Call>[] = [
      { client: 0, call: { write: 1 }, outcome: 'done', start: 0, end: 1 },
      { client: 1, call: 'read', outcome: '0', start: 2, end: 3 },
    ];
    expect(unexplained(history, register)?.explained).toEqual(history.slice(0, 1));
  });
});
