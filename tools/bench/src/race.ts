import { Child } from './child.ts';
import { type Contender, contest, type Lap, type Timings } from './contest.ts';

/**
 * Times several contenders at the same work. Each has its own process, so that none collects another's garbage. They
 * alternate round by round.
 *
 * @param program - A program of `children/`. It receives the work first, then requests for rounds and for a check of the
 *   result.
 * @param works - By the name of the contender.
 */
export async function race<Work extends object>(
  program: string,
  works: ReadonlyMap<string, Work>,
  rounds: number,
): Promise<Timings> {
  const children: Child<Work | 'round' | 'check'>[] = [];
  try {
    const contenders: Contender[] = [];
    for (const [name, work] of works) {
      const child = new Child<Work | 'round' | 'check'>(program);
      children.push(child);
      await child.ask(work);
      contenders.push({ name, play: () => child.ask<Lap>('round'), finish: () => child.ask('check') });
    }
    return await contest(contenders, rounds);
  } finally {
    for (const child of children) await child.end();
  }
}
