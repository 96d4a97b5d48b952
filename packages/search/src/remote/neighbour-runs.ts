/** A turn that was found, and the turns before and after it in its conversation, nearest first. */
type TurnWithNeighbours = readonly [turn: number, earlier: readonly number[] | null, later: readonly number[] | null];

/**
 * The runs of neighbouring turns around those that were found, each in the order of its conversation. Runs that overlap
 * become one.
 */
export function joinRuns(pool: readonly TurnWithNeighbours[]): number[][] {
  const next = new Map<number, number | undefined>();
  const follows = new Set<number>();
  for (const [seq, earlier, later] of pool) {
    const run = [...(earlier ?? []).toReversed(), seq, ...(later ?? [])];
    for (const [index, one] of run.entries()) {
      const follower = run[index + 1];
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
