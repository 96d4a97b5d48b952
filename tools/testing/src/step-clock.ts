import { onTestFinished, vi } from 'vitest';

/**
 * Until the test ends, each look at `performance.now()` is `ms` later than the one before. Work that is divided by time is
 * then divided wherever it can be, on a processor of any speed.
 */
export function stepClock(ms: number): void {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += ms;
    return now;
  });
  onTestFinished(() => clock.mockRestore());
}
