import { describe, expect, it } from 'vitest';
import { AppliedOperations, OPERATION_IDS } from '../src/adapter.ts';

const DAY = 24 * 60 * 60 * 1_000;

/** Adds operations `from` to `to`, and returns how many were forgotten. */
function add(operations: AppliedOperations, from: number, to: number, appliedMs: number, itemCount = 0): number {
  let forgotten = 0;
  for (let n = from; n < to; n++) forgotten += operations.add(`${n}`, { digest: '', appliedMs }, itemCount).length;
  return forgotten;
}

describe('AppliedOperations', () => {
  it('keeps what OPERATION_IDS requires: 30 days, and the latest 1,000', () => {
    expect(OPERATION_IDS).toEqual({ keepMs: 30 * DAY, keepCount: 1_000 });
    const operations = new AppliedOperations();
    add(operations, 0, 1_500, 0);
    expect(operations.forgetOld(30 * DAY, 0)).toHaveLength(0);
    expect(operations.forgetOld(30 * DAY + 1, 0)).toHaveLength(500);
    expect(operations.get('499')).toBeUndefined();
    expect(operations.get('500')).toEqual({ digest: '', appliedMs: 0 });
    expect(operations.forgetOld(90 * DAY, 0)).toHaveLength(0);
  });

  it('keeps as many of the latest as there are items', () => {
    const operations = new AppliedOperations();
    add(operations, 0, 1_500, 0);
    expect(operations.forgetOld(90 * DAY, 1_200)).toEqual(Array(300).fill({ digest: '', appliedMs: 0 }));
    expect([...operations.entries()][0]).toEqual(['300', { digest: '', appliedMs: 0 }]);
  });

  it('holds at most twice as many as required, and looks for old ones seldom', () => {
    const operations = new AppliedOperations();
    let passes = 0;
    for (let day = 0; day < 200; day++) {
      if (add(operations, day * 100, (day + 1) * 100, day * DAY) > 0) passes++;
      // 3,100 in 30 days and today.
      expect([...operations.entries()].length).toBeLessThan(6_200);
    }
    expect(passes).toBeLessThan(10);
    expect(operations.get(`${170 * 100}`)).toBeDefined();
    expect(operations.get('0')).toBeUndefined();
  });
});
