import { describe, expect, it } from 'vitest';
import { aimed, figure, isMet, judged, type Row, ratios } from '../src/row.ts';
import { table } from '../src/table.ts';

describe('a row', () => {
  it('has ratios by round, for the rounds that both contenders ran', () => {
    expect(ratios([10, 30, 50], [5, 10])).toEqual([2, 3]);
  });

  it('shows whether a figure meets the target, in the unit of the target', () => {
    const halfAMillisecond = figure('Store', 'µs', [500]);

    expect(aimed(halfAMillisecond, { atMost: 0.5, unit: 'ms' })).toMatchObject({
      keepsake: halfAMillisecond,
      met: true,
    });
    expect(aimed(halfAMillisecond, { atMost: 0.0004, unit: 's' }).met).toBe(false);
    expect(aimed(figure('Store', '/s', [79_999]), { atLeast: 80_000, unit: '/s' }).met).toBe(false);
    expect(aimed(figure('Store', 'bytes', [300]), { atMost: 300, unit: 'bytes' }).met).toBe(true);
    expect(aimed(halfAMillisecond).met).toBeUndefined();
  });

  it('shows whether the median ratio meets the target', () => {
    expect(judged([0.7, 0.9, 0.1], { atLeast: 0.7 }).met).toBe(true);
    expect(judged([0.69], { atLeast: 0.7 }).met).toBe(false);
    expect(judged([2.01], { atMost: 2 }).met).toBe(false);
    expect(judged([1]).met).toBeUndefined();
    expect(isMet(0.3, { atMost: 0.3, unit: 's' })).toBe(true);
  });
});

it('a table has a column for each peer, and empty cells for values that were not measured', () => {
  const rows: Row[] = [
    {
      measure: 'append',
      raw: figure('push', 'µs', [1.5]),
      keepsake: figure('Session', 'µs', [3, 3, 4]),
      peers: { Rival: figure('RivalSession', 'µs', [2_500]) },
      ...judged([0.5], { atLeast: 0.7 }),
    },
    { measure: 'lost', keepsake: { name: 'Session', value: 0, unit: 'faults' }, target: { atMost: 0 }, met: true },
  ];

  expect(table(rows)).toBe(
    [
      '| measure | raw limit    | Keepsake     | ratio      | target | met | Rival        |',
      '|---------|--------------|--------------|------------|--------|-----|--------------|',
      '| append  | 1.50 µs ±0 % | 3.00 µs ±8 % | 0.500 ±0 % | ≥ 0.7  | no  | 2.50 ms ±0 % |',
      '| lost    |              | none         |            | ≤ 0    | yes |              |',
    ].join('\n'),
  );
});
