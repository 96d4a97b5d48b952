import { Child } from '../child.ts';
import { type Contender, contest, type Lap, type Timings } from '../contest.ts';
import type { Work } from './work.ts';

/**
 * Times several kinds at the same work. Each has a process of its own, so that none collects another's garbage; they
 * take turns, round by round.
 */
export async function race(works: readonly Work[], rounds: number): Promise<Timings> {
  const children: Child<Work | 'round' | 'check'>[] = [];
  try {
    const contenders: Contender[] = [];
    for (const work of works) {
      const child = new Child<Work | 'round' | 'check'>('worker');
      children.push(child);
      await child.ask(work);
      contenders.push({
        name: nameOf(work.kind, work.items),
        play: () => child.ask<Lap>('round'),
        finish: () => child.ask('check'),
      });
    }
    return await contest(contenders, rounds);
  } finally {
    for (const child of children) await child.end();
  }
}

/** What a kind is called in a contest of histories of several lengths. */
export function nameOf(kind: string, items: number): string {
  return `${kind}, ${items}`;
}
