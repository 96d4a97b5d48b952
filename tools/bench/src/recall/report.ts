import { mean } from '../statistics.ts';
import { grid } from '../table.ts';
import { type Estimate, estimate } from './bootstrap.ts';
import type { Conversation } from './conversation.ts';
import { byCategory, byConversation, type Marked, MEASURES, type Measure } from './measures.ts';
import type { System } from './systems.ts';

/** What a system found, question by question, in the same order for all systems. */
export interface SystemRecall {
  readonly system: System;
  readonly marked: readonly Marked[];
}

export interface RecallResults {
  readonly conversations: readonly Conversation[];
  /** Keepsake's, with and without turns. */
  readonly own: SystemRecall;
  readonly without: SystemRecall;
  readonly others: readonly SystemRecall[];
  readonly differences: readonly Difference[];
}

/** By how much one is better than another on the same questions. */
export interface Difference {
  readonly of: string;
  readonly than: string;
  readonly measures: Estimates;
}

type Estimates = Readonly<Record<Measure, Estimate>>;

/**
 * Keepsake against itself without turns, and both against the peer of the highest recall at 10. Others with turns are
 * backends of Keepsake.
 */
export function comparison(
  own: SystemRecall,
  without: SystemRecall,
  others: readonly SystemRecall[],
): readonly Difference[] {
  const [best] = others
    .filter(({ system }) => !system.withTurns)
    .toSorted((a, b) => meanOf(b.marked, 'R@10') - meanOf(a.marked, 'R@10'));
  const pairs = [[own, without] as const, ...(best ? [[own, best] as const, [without, best] as const] : [])];
  return pairs.map(([one, other]) => ({
    of: one.system.name,
    than: other.system.name,
    measures: ofEach((measure) =>
      estimate(one.marked.map(({ marks }, question) => marks[measure] - (other.marked[question]?.marks[measure] ?? 0))),
    ),
  }));
}

/** Four tables, in percent. */
export function report({ conversations, own, without, others, differences }: RecallResults): string {
  const all = [own, without, ...others];
  const entries = conversations.reduce((sum, conversation) => sum + conversation.entries.length, 0);
  const intro = `Conversations: ${conversations.length}. Entries: ${entries.toLocaleString('en')}. Questions: ${own.marked.length}. In percent, with 95 % intervals.`;
  const categoryTable = ({ marked }: SystemRecall) =>
    grid(
      ['questions', '', ...MEASURES],
      byCategory(marked).map(([name, some]) => [name, String(some.length), ...inPercent(estimates(some))]),
    );
  return [
    intro,
    ...[own, without].map((recall) => `${recall.system.name}:\n\n${categoryTable(recall)}`),
    `All questions, by system:\n\n${grid(
      ['system', ...MEASURES, 'target of R@10', 'met'],
      all.map(({ system, marked }) => [system.name, ...inPercent(estimates(marked)), ...judged(system, marked)]),
    )}`,
    `Differences, paired by question:\n\n${grid(
      ['of', 'than', ...MEASURES],
      differences.map(({ of, than, measures }) => [of, than, ...inPercent(measures)]),
    )}`,
    `R@10 by conversation:\n\n${grid(
      ['system', ...conversations.map(({ name }) => name)],
      all.map(({ system, marked }) => [
        system.name,
        ...byConversation(marked, conversations).map(([, some]) => percent(meanOf(some, 'R@10'))),
      ]),
    )}`,
  ].join('\n\n');
}

/** The same as data, from 0 to 1. */
export function toJson({ conversations, own, without, others, differences }: RecallResults): unknown {
  const named = (groups: readonly [string, readonly Marked[]][]) =>
    Object.fromEntries(groups.map(([name, some]) => [name, { questions: some.length, ...estimates(some) }]));
  return {
    conversations: conversations.map(({ name, entries, questions }) => ({
      name,
      entries: entries.length,
      questions: questions.length,
    })),
    systems: [own, without, ...others].map(({ system, marked }) => ({
      name: system.name,
      byCategory: named(byCategory(marked)),
      byConversation: named(byConversation(marked, conversations)),
    })),
    differences,
  };
}

function judged({ atLeast }: System, marked: readonly Marked[]): [target: string, met: string] {
  if (atLeast === undefined) return ['', ''];
  return [`≥ ${atLeast}`, meanOf(marked, 'R@10') * 100 >= atLeast ? 'yes' : 'no'];
}

function estimates(marked: readonly Marked[]): Estimates {
  return ofEach((measure) => estimate(marked.map(({ marks }) => marks[measure])));
}

function ofEach<T>(make: (measure: Measure) => T): Record<Measure, T> {
  return Object.fromEntries(MEASURES.map((measure) => [measure, make(measure)])) as Record<Measure, T>;
}

function meanOf(marked: readonly Marked[], measure: Measure): number {
  return mean(marked.map(({ marks }) => marks[measure]));
}

function inPercent(estimates: Estimates): string[] {
  return MEASURES.map((measure) => {
    const { mean, low, high } = estimates[measure];
    return `${percent(mean)} (${percent(low)}–${percent(high)})`;
  });
}

function percent(part: number): string {
  return (part * 100).toFixed(1);
}
