import { type Estimate, estimate } from '../bootstrap.ts';
import type { DataSet } from '../conversations/data-set.ts';
import { ALL, byCategory } from '../conversations/groups.ts';
import { TARGETS } from '../conversations/targets.ts';
import { atLeastPercent, type Goal } from '../goal.ts';
import type { Marked } from './measures.ts';
import type { SystemRecall } from './results.ts';

/** What an embedder adds in one category, in recall at 10. */
export interface CategoryGain {
  readonly category: string;
  readonly questions: number;
  readonly gain: Estimate;
  readonly goal: Goal;
}

/** What an embedder adds in each category, because it can help one and harm another. */
export function categoryGains(hybrid: SystemRecall, lexical: SystemRecall, data: DataSet): readonly CategoryGain[] {
  const { hybridGain, hybridLoss } = TARGETS[data.name];
  const gains = hybrid.marked.map(({ category, marks }, question) => ({
    category,
    gain: marks['R@10'] - (lexical.marked[question] as Marked).marks['R@10'],
  }));
  return byCategory(gains, data.categories).map(([category, some]) => {
    const gain = estimate(some.map((one) => one.gain));
    const goal = atLeastPercent(gain.mean, category === ALL ? hybridGain : -hybridLoss);
    return { category, questions: some.length, gain, goal };
  });
}
