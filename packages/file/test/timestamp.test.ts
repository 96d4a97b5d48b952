import { expect, it } from 'vitest';
import { toMilliseconds } from '../src/log/timestamp.ts';

it('a time of a log is returned with milliseconds, and CORRUPT if it is none', () => {
  expect(toMilliseconds('2026-05-03T09:12:00.123456Z')).toBe('2026-05-03T09:12:00.123Z');
  for (const at of ['', 'yesterday', '+275760-09-13T00:00:00.001Z']) {
    expect(() => toMilliseconds(at)).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  }
});
