import { describe, expect, it } from 'vitest';
import { estimate } from '../src/bootstrap.ts';
import { categoryGains } from '../src/recall/category-gains.ts';
import { comparison } from '../src/recall/differences.ts';
import { type Marked, marksOf } from '../src/recall/measures.ts';
import { report } from '../src/recall/report.ts';
import type { RecallResults, SystemRecall } from '../src/recall/results.ts';
import { hybrid, lexical, peers, type System } from '../src/recall/systems.ts';

describe('marks', () => {
  it('are the share of the evidence among the first results, and one divided by its first rank', () => {
    const found = [90, 91, 7, 92, 93, 94, 95, 96, 97, 98, 99, 3];

    expect(marksOf(found, [3, 7, 5])).toEqual({ 'R@5': 1 / 3, 'R@10': 1 / 3, 'R@20': 2 / 3, MRR: 1 / 3 });
    expect(marksOf([5], [5])).toEqual({ 'R@5': 1, 'R@10': 1, 'R@20': 1, MRR: 1 });
  });

  it('are 0 if no evidence is among the first 20 results', () => {
    const late = [...Array.from({ length: 20 }, (_, place) => 100 + place), 1];

    expect(marksOf([], [1])).toEqual({ 'R@5': 0, 'R@10': 0, 'R@20': 0, MRR: 0 });
    expect(marksOf(late, [1])).toEqual({ 'R@5': 0, 'R@10': 0, 'R@20': 0, MRR: 0 });
  });
});

describe('an estimate', () => {
  it('has 95 % of resampled means in its interval and is deterministic', () => {
    // The mean of 400 throws of a fair coin: 0.5, with a standard deviation of 0.025.
    const coin = Array.from({ length: 400 }, (_, index) => index % 2);
    const { mean, low, high } = estimate(coin);

    expect(mean).toBe(0.5);
    expect(low).toBeGreaterThan(0.44);
    expect(low).toBeLessThan(0.46);
    expect(high).toBeGreaterThan(0.54);
    expect(high).toBeLessThan(0.56);
    expect(estimate(coin)).toEqual({ mean, low, high });
  });

  it('is exact if all values are the same', () => {
    expect(estimate([0.25, 0.25])).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
  });
});

const [langgraph, orama] = peers as [System, System];
const results: RecallResults = {
  data: { name: 'LoCoMo', categories: ['multi-hop', 'temporal'], conversations: [] },
  lexical: [recalled(lexical[0], 0.8, 0.8), recalled(lexical[1], 0.7, 0.6)],
  hybrid: [recalled(hybrid[0], 0.9, 0.78), recalled(hybrid[1], 0.7, 0.6)],
  backends: [],
  peers: [recalled(langgraph, 0.75, 0.7), recalled(orama, 0, 0.2)],
};

describe('differences', () => {
  it('compare all of Keepsake with the peer that has the highest recall at 10, even if it is ahead', () => {
    const withPeer = comparison(results).filter(({ than }) => than === langgraph.name);

    expect(withPeer.map(({ of, measures, goal }) => [of, measures['R@10'].mean.toFixed(3), goal?.met])).toEqual([
      [lexical[0].name, '0.075', true],
      [lexical[1].name, '-0.075', false],
      [hybrid[0].name, '0.115', true],
      [hybrid[1].name, '-0.075', false],
    ]);
    expect(comparison(results).filter(({ than }) => than === orama.name)).toEqual([]);
  });

  it('compare hybrid with lexical, each with and without turns, and check the gain', () => {
    const gains = comparison(results).filter(({ of, than }) => of.includes('hybrid') && !than.includes('LangGraph'));

    expect(gains.map(({ of, than, measures, goal }) => [of, than, measures['R@10'].mean.toFixed(3), goal])).toEqual([
      [hybrid[0].name, lexical[0].name, '0.040', { target: '≥ 1.5', met: true }],
      [hybrid[1].name, lexical[1].name, '0.000', { target: '≥ 1.5', met: false }],
    ]);
  });

  it('show the categories in which an embedder costs more than allowed', () => {
    const gains = categoryGains(recalled(hybrid[0], 0.9, 0.78), recalled(lexical[0], 0.8, 0.8), results.data);

    expect(gains.map(({ category, gain, goal }) => [category, gain.mean.toFixed(3), goal])).toEqual([
      ['all', '0.040', { target: '≥ 1.5', met: true }],
      ['multi-hop', '0.100', { target: '≥ -1', met: true }],
      ['temporal', '-0.020', { target: '≥ -1', met: false }],
    ]);
  });
});

describe('a report', () => {
  const lines = report(results).split('\n');

  it('judges Keepsake by the targets of the data set', () => {
    expect(lines.find((line) => line.startsWith(`| ${lexical[0].name} `) && line.includes('≥ 82'))).toMatch(/no +\|$/);
    expect(lines.find((line) => line.startsWith(`| ${lexical[1].name} `) && line.includes('≥ 66'))).toMatch(/no +\|$/);
  });

  it('names the peer that ignores its query', () => {
    expect(lines).toContainEqual(expect.stringMatching(/^LangGraph InMemoryStore ignores its query/));
  });
});

/** One question of each category. */
function recalled(system: System, multiHop: number, temporal: number): SystemRecall {
  return { system, marked: [marked('multi-hop', multiHop), marked('temporal', temporal)] };
}

function marked(category: string, value: number): Marked {
  return { conversation: 'garden', category, marks: { 'R@5': value, 'R@10': value, 'R@20': value, MRR: value } };
}
