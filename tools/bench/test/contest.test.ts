import { expect, it } from 'vitest';
import { type Contender, contest } from '../src/contest.ts';

/** Runs laps of a given length and records their order. */
function contender(name: string, ms: number, played: string[]): Contender {
  return {
    name,
    async play() {
      played.push(name);
      return { us: ms * 100, ms };
    },
    async finish() {
      played.push(`${name} finished`);
    },
  };
}

it('a contest runs round by round with a rotating start, after warm-up rounds', async () => {
  const played: string[] = [];
  const timings = await contest([contender('a', 1, played), contender('b', 600, played)], 2);

  expect(played.slice(0, 6)).toEqual(['a', 'a', 'a', 'a', 'a', 'b']);
  expect(played.slice(6)).toEqual(['a', 'b', 'b', 'a', 'a finished', 'b finished']);
  expect(timings).toEqual({ a: [100, 100], b: [60_000, 60_000] });
});

it('a contest stops measuring very slow contenders once they have a median', async () => {
  const played: string[] = [];
  const { slow, quick } = await contest([contender('slow', 5_000, played), contender('quick', 1, played)], 9);

  expect(slow).toHaveLength(3);
  expect(quick).toHaveLength(9);
});

it('a contest fails if a contender did not do its work', async () => {
  const idle: Contender = { ...contender('idle', 1, []), finish: () => Promise.reject(new Error('Nothing is there.')) };

  await expect(contest([idle], 1)).rejects.toThrow('Nothing is there.');
});
