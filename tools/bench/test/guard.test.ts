import { describe, expect, it } from 'vitest';
import type { Contender } from '../src/contest.ts';
import { FLOORS, type Floor } from '../src/guard/floors.ts';
import { compareSpeeds } from '../src/guard/interleaved.ts';
import { judge, withoutJudgement } from '../src/guard/judge.ts';

function floorOf(figure: string, floor: number): Floor {
  return { figure, floor, date: '2026-11-27', reason: 'a test' };
}

/** Ratios around a median, with this noise. */
function noisy(ratio: number, noise: number): number[] {
  return [0.1, 1 - noise, 1, 1 + noise, 10].map((factor) => ratio * factor);
}

describe('judge', () => {
  it('fails if a figure is below its floor by more than its noise', () => {
    const outcome = judge(
      [
        { figure: 'append', ratios: noisy(0.5, 0.05) },
        { figure: 'search', ratios: noisy(0.2, 0.05) },
      ],
      [floorOf('append', 0.53), floorOf('search', 0.2)],
    );

    expect(outcome.failed).toBe(true);
    expect(outcome.text).toBe(
      [
        '| figure | ratio | noise | floor | verdict |',
        '|--------|-------|-------|-------|---------|',
        '| append | 0.500 | ±5 %  | 0.530 | slower  |',
        '| search | 0.200 | ±5 %  | 0.200 | ok      |',
        '',
        'Below the floor by more than the noise: append.',
      ].join('\n'),
    );
    expect(outcome.json).toMatchObject([{ slower: true }, { slower: false }]);
  });

  it('passes if every figure is above its floor, or below it by less than its noise', () => {
    const outcome = judge(
      [
        { figure: 'append', ratios: noisy(0.5, 0.05) },
        { figure: 'search', ratios: noisy(0.21, 0) },
      ],
      [floorOf('append', 0.52), floorOf('search', 0.2)],
    );

    expect(outcome.failed).toBe(false);
    expect(outcome.text).toContain('No figure is below its floor by more than its noise.');
  });

  it('fails if a figure is far below its floor, whatever its noise, or is no number', () => {
    const [wild, none] = [
      { figure: 'append', ratios: [0.2, 0.4, 0.6, 0.2, 0.6] },
      { figure: 'append', ratios: [Number.NaN] },
    ];

    expect(judge([wild], [floorOf('append', 0.55)])).toMatchObject({ failed: true, json: [{ slower: true }] });
    expect(judge([none], [floorOf('append', 0.55)])).toMatchObject({ failed: true, json: [{ slower: true }] });
  });

  it('refuses a figure without a floor, with two floors, and a floor without a figure', () => {
    const append = { figure: 'append', ratios: [1] };

    expect(() => judge([append], [])).toThrow('"append" must have exactly one floor.');
    expect(() => judge([append], [floorOf('append', 1), floorOf('append', 2)])).toThrow('exactly one floor');
    expect(() => judge([append], [floorOf('append', 1), floorOf('search', 1)])).toThrow(
      '"search" has a floor and was not measured.',
    );
  });

  it('fails no quick run', () => {
    const { failed, text } = withoutJudgement([{ figure: 'append', ratios: [0.1] }], [floorOf('append', 1)]);

    expect(failed).toBeUndefined();
    expect(text).toContain('not judged');
  });
});

describe('compareSpeeds', () => {
  it('alternates play by play with a rotating order, and returns the ratio of the medians of each round', async () => {
    const played: string[] = [];
    const contender = (name: string, us: readonly number[]): Contender => {
      let plays = 0;
      return {
        name,
        async play() {
          played.push(name);
          return { us: us[plays++ % us.length] as number, ms: 1_000 };
        },
        finish: async () => void played.push('finished'),
      };
    };
    // Before each contest, a contender that plays for a second warms up once. Every fifth play is disturbed.
    const keepsake = contender('keepsake', [20, 20, 20, 20, 500]);
    const other = contender('other', [10, 10, 10, 10, 10]);

    const ratios = await compareSpeeds({ keepsake, other }, { rounds: 2, plays: 3 });

    expect(ratios).toEqual([0.5, 0.5]);
    const timed = played.slice(played.lastIndexOf('finished', played.length - 3) + 3, -2);
    expect(timed.join(' ')).toBe(
      'other keepsake keepsake other other keepsake keepsake other other keepsake keepsake other',
    );
  });

  it('has shorter rounds if plays take too long', async () => {
    const slow = (name: string, us: number): Contender => ({
      name,
      play: async () => ({ us, ms: 5_000 }),
      finish: async () => {},
    });

    const ratios = await compareSpeeds(
      { keepsake: slow('keepsake', 4), other: slow('other', 3) },
      { rounds: 40, plays: 100 },
    );

    expect(ratios).toEqual([0.75, 0.75, 0.75]);
  });
});

it('the guard has twelve floors, each with a date and a reason', () => {
  expect(FLOORS).toHaveLength(12);
  for (const { figure, floor, date, reason } of FLOORS) {
    expect(floor, figure).toBeGreaterThan(0);
    expect(date, figure).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(reason.length, figure).toBeGreaterThan(10);
  }
});
