import { expect, it } from 'vitest';
import { AGING, retrying } from '../src/database/retry.ts';

/** A clock on which only waits take time. */
function waitingClock() {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    async sleep(ms: number) {
      waits.push(ms);
      now += ms;
    },
  };
}

it('retrying with AGING waits ever shorter after the first tries', async () => {
  const clock = waitingClock();
  await expect(
    retrying(
      () => Promise.reject(new Error()),
      () => true,
      { longestWait: AGING, clock },
    ),
  ).rejects.toThrow();
  const [early, late] = [clock.waits.slice(0, 20), clock.waits.slice(-1_000)];
  expect(Math.max(...early)).toBeGreaterThan(16);
  expect(Math.max(...early)).toBeLessThanOrEqual(32);
  expect(Math.max(...late)).toBeLessThanOrEqual(4);
});

it('retrying gives up with the last error after 30 seconds of short random waits', async () => {
  const clock = waitingClock();
  let tries = 0;
  const work = () => Promise.reject(new Error(`${++tries}`));
  await expect(retrying(work, () => true, { clock })).rejects.toThrow(/^\d+$/);
  expect(clock.now()).toBeGreaterThan(30_000);
  expect(clock.now()).toBeLessThan(30_200);
  expect(clock.waits).toHaveLength(tries - 1);
  // Each is up to twice as long as the one before, from 4 ms to 100 ms.
  for (const [index, wait] of clock.waits.entries()) expect(wait).toBeLessThanOrEqual(Math.min(4 * 2 ** index, 100));
  expect(Math.max(...clock.waits)).toBeGreaterThan(90);
  expect(new Set(clock.waits).size).toBeGreaterThan(clock.waits.length / 2);
});
