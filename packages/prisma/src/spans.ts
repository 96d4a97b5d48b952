import type { PoolRow } from './search-statement.ts';

/**
 * The runs of neighbouring turns that stand around those that were found, each in the order of its conversation. Spans that
 * overlap are one run.
 */
export function joinSpans(pool: readonly PoolRow[]): number[][] {
  const next = new Map<number, number | undefined>();
  const follows = new Set<number>();
  for (const [seq, earlier, later] of pool) {
    const span = [...(earlier ?? []).toReversed(), seq, ...(later ?? [])];
    for (const [place, one] of span.entries()) {
      const follower = span[place + 1];
      next.set(one, follower ?? next.get(one));
      if (follower !== undefined) follows.add(follower);
    }
  }
  const firsts = [...next.keys()].filter((seq) => !follows.has(seq));
  return firsts.map((first) => chain(first, next));
}

function chain(first: number, next: ReadonlyMap<number, number | undefined>): number[] {
  const run: number[] = [];
  for (let seq: number | undefined = first; seq !== undefined; seq = next.get(seq)) run.push(seq);
  return run;
}
