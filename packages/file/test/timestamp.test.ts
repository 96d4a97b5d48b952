import { expect, it } from 'vitest';
import { isTime, toMilliseconds } from '../src/log/timestamp.ts';

it('a time of a log is returned with milliseconds', () => {
  expect(toMilliseconds('2026-05-03T09:12:00.123456Z')).toBe('2026-05-03T09:12:00.123Z');
});

it('tells times from other texts', () => {
  expect(isTime('2026-05-03T09:12:00.123456Z')).toBe(true);
  for (const at of ['', 'yesterday', '+275760-09-13T00:00:00.001Z']) expect(isTime(at)).toBe(false);
});
