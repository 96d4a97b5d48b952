import { describe, expect, it } from 'vitest';
import { namedTimes, timeFactor } from '../src/ranking/named-times.ts';
import { WEIGHTS } from '../src/ranking/ranking-weights.ts';

/** A Wednesday. */
const NOW = new Date('2024-05-15T12:00:00Z');

/** The weight that a query gives to a text of that time. */
function factor(query: string, time: string): number {
  return timeFactor(namedTimes(query, NOW), Date.parse(time));
}

describe('a query that names', () => {
  it.each([
    ['on 8 May 2023', '2023-05-08T09:00:00Z'],
    ['on May 8th, 2023', '2023-05-08T23:59:00Z'],
    ['the 8th of May', '2023-05-08T09:00:00Z'],
    ['on Sept. 8', '2021-09-08T09:00:00Z'],
    ['at 2023-05-08', '2023-05-08T09:00:00Z'],
    ['yesterday', '2024-05-14T09:00:00Z'],
    ['what did I say today', '2024-05-15T00:00:00Z'],
    ['three days ago', '2024-05-12T09:00:00Z'],
    ['last Monday', '2024-05-13T09:00:00Z'],
    ['on Wednesday', '2024-05-08T09:00:00Z'],
    ['the day before yesterday', '2024-05-13T09:00:00Z'],
    ['last weekend', '2024-05-12T23:00:00Z'],
    ['on 3 March or on 8 May 2023', '2023-05-08T09:00:00Z'],
  ])('a day (%j) weights it most', (query, time) => {
    expect(factor(query, time)).toBe(WEIGHTS.day);
  });

  it.each([
    ['in May 2023', '2023-05-31T23:00:00Z'],
    ['2023-05', '2023-05-01T00:00:00Z'],
    ['in May', '2021-05-20T00:00:00Z'],
    ['december plans', '2021-12-20T00:00:00Z'],
    ['last month', '2024-04-02T00:00:00Z'],
    ['2 months ago', '2024-03-02T00:00:00Z'],
    ['a week ago', '2024-05-08T12:00:00Z'],
    ['ten weeks ago', '2024-03-06T12:00:00Z'],
    ['a couple of weeks ago', '2024-05-01T12:00:00Z'],
    ['this week', '2024-05-15T00:00:00Z'],
    ['this month', '2024-05-02T00:00:00Z'],
    ['last May', '2023-05-20T00:00:00Z'],
    ['last April', '2024-04-20T00:00:00Z'],
    ['this May', '2024-05-20T00:00:00Z'],
  ])('a month or week (%j) weights it less', (query, time) => {
    expect(factor(query, time)).toBe(WEIGHTS.month);
  });

  it.each([
    ['in 2023', '2023-07-31T00:00:00Z'],
    ['last year', '2023-01-01T00:00:00Z'],
    ['two years ago', '2022-12-31T00:00:00Z'],
  ])('a year (%j) weights it a little', (query, time) => {
    expect(factor(query, time)).toBe(WEIGHTS.year);
  });

  it.each([
    'May I ask you something',
    'what may have happened',
    'a march through town',
    'sunday',
    'room 101',
    '12345',
    'on 45 May',
    'long ago',
    '',
  ])('no time (%j) weights all times equally', (query) => {
    for (const time of ['2023-05-08', '2024-05-12', '2023-12-31', '1970-01-01']) {
      expect(factor(query, `${time}T00:00:00Z`)).toBe(1);
    }
  });
});

it('treats an invalid date that begins with a year as that year', () => {
  expect(factor('2023-13-01', '2023-05-08T00:00:00Z')).toBe(WEIGHTS.year);
});

describe('a named time', () => {
  it('has less weight for later texts, and finally none', () => {
    const factors = [9, 12, 20, 22, 24].map((day) =>
      factor('on 8 May 2023', `2023-05-${String(day).padStart(2, '0')}T00:00:00Z`),
    );
    expect(factors).toEqual(factors.toSorted((a, b) => b - a));
    expect(factors[0]).toBe(WEIGHTS.day);
    expect(factors[2]).toBeGreaterThan(1);
    expect(factors[4]).toBe(1);
  });

  it('has little weight for earlier texts', () => {
    expect(factor('on 8 May 2023', '2023-05-07T12:00:00Z')).toBeCloseTo(1 + (WEIGHTS.day - 1) / 2, 12);
    expect(factor('on 8 May 2023', '2023-05-06T12:00:00Z')).toBe(1);
  });

  it('at the end of a year has weight early in the next year', () => {
    expect(factor('on 31 December', '2024-01-02T00:00:00Z')).toBeGreaterThan(1);
    expect(factor('on 31 December', '2024-01-30T00:00:00Z')).toBe(1);
  });
});

it('uses at most 8 times that a query names', () => {
  expect(namedTimes('on 8 May, '.repeat(1_000), NOW)).toHaveLength(8);
});
