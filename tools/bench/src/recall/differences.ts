import type { Estimate } from '../bootstrap.ts';
import { TARGETS } from '../conversations/targets.ts';
import { ahead, atLeastPercent, type Goal } from '../goal.ts';
import { differenceOf, type Estimates } from './estimates.ts';
import { meanOf, ownOf, type RecallResults, type SystemRecall } from './results.ts';

/** How much better one system is than another on the same questions. */
export interface Difference {
  readonly of: string;
  readonly than: string;
  readonly measures: Estimates;
  /** Of recall at 10. */
  readonly goal?: Goal;
}

/**
 * The gain from turns, the gain from an embedder, and the lead of all of Keepsake's systems over the peer with the highest
 * recall at 10.
 */
export function comparison(results: RecallResults): readonly Difference[] {
  const { data, lexical, peers } = results;
  const { hybridGain } = TARGETS[data.name];
  const [best] = peers.toSorted((a, b) => meanOf(b.marked, 'R@10') - meanOf(a.marked, 'R@10'));
  return [
    difference(...lexical),
    ...hybridAndLexical(results).map(([one, other]) =>
      difference(one, other, ({ mean }) => atLeastPercent(mean, hybridGain)),
    ),
    ...(best === undefined ? [] : ownOf(results).map((own) => difference(own, best, ahead))),
  ];
}

/** The systems with an embedder, each paired with the same system without one. */
export function hybridAndLexical({ hybrid, lexical }: RecallResults): [SystemRecall, SystemRecall][] {
  if (hybrid === undefined) return [];
  return [
    [hybrid[0], lexical[0]],
    [hybrid[1], lexical[1]],
  ];
}

function difference(one: SystemRecall, other: SystemRecall, judge?: (recallAt10: Estimate) => Goal): Difference {
  const measures = differenceOf(one.marked, other.marked);
  return {
    of: one.system.name,
    than: other.system.name,
    measures,
    ...(judge !== undefined && { goal: judge(measures['R@10']) }),
  };
}
