import { byCategory, byConversation } from '../conversations/groups.ts';
import { TARGETS } from '../conversations/targets.ts';
import { atLeastPercent, type Goal, goalCells } from '../goal.ts';
import { estimatedPercent, percent } from '../percent.ts';
import { grid } from '../table.ts';
import { categoryGains } from './category-gains.ts';
import { comparison, hybridAndLexical } from './differences.ts';
import { estimates, inPercent } from './estimates.ts';
import { type Marked, MEASURES } from './measures.ts';
import { meanOf, ownOf, type RecallResults, type SystemRecall } from './results.ts';

/** Tables in percent. */
export function report(results: RecallResults): string {
  const { data, lexical, hybrid = [], peers } = results;
  const notes = peers.flatMap(({ system: { name, engine } }) => (engine.note ? [`${name} ${engine.note}.`] : []));
  return [
    intro(results),
    ...[...lexical, ...hybrid].map((one) => `${one.system.name}:\n\n${categoryTable(one, data.categories)}`),
    `All questions, by system:\n\n${systemTable(results)}`,
    ...notes,
    `Differences, paired by question:\n\n${differenceTable(results)}`,
    ...hybridAndLexical(results).map(
      ([one, other]) => `What the embedder adds to ${other.system.name}, R@10:\n\n${gainTable(one, other, results)}`,
    ),
    `R@10 by conversation:\n\n${conversationTable(results)}`,
  ].join('\n\n');
}

/** The same as data, from 0 to 1. */
export function toJson(results: RecallResults): unknown {
  const { data, peers } = results;
  const named = (groups: readonly [string, readonly Marked[]][]) =>
    Object.fromEntries(groups.map(([name, some]) => [name, { questions: some.length, ...estimates(some) }]));
  return {
    data: data.name,
    conversations: data.conversations.map(({ name, entries, questions }) => ({
      name,
      entries: entries.length,
      questions: questions.length,
    })),
    systems: [...ownOf(results), ...peers].map(({ system, marked }) => ({
      name: system.name,
      byCategory: named(byCategory(marked, data.categories)),
      byConversation: named(byConversation(marked, data.conversations)),
    })),
    differences: comparison(results),
    hybridByCategory: hybridAndLexical(results).map(([one, other]) => ({
      of: one.system.name,
      than: other.system.name,
      categories: categoryGains(one, other, data),
    })),
  };
}

function intro({ data, lexical }: RecallResults): string {
  const entries = data.conversations.reduce((sum, conversation) => sum + conversation.entries.length, 0);
  const questions = lexical[0].marked.length;
  return `${data.name}. Conversations: ${data.conversations.length}. Entries: ${entries.toLocaleString('en')}. Questions: ${questions}. In percent, with 95 % intervals.`;
}

function categoryTable({ marked }: SystemRecall, categories: readonly string[]): string {
  return grid(
    ['questions', '', ...MEASURES],
    byCategory(marked, categories).map(([name, some]) => [name, String(some.length), ...inPercent(estimates(some))]),
  );
}

function systemTable(results: RecallResults): string {
  const goals = new Map([...results.lexical, ...results.backends].map((one) => [one, recallGoal(one, results)]));
  return grid(
    ['system', ...MEASURES, 'R@10 target', 'met'],
    [...ownOf(results), ...results.peers].map((one) => [
      one.system.name,
      ...inPercent(estimates(one.marked)),
      ...goalCells(goals.get(one)),
    ]),
  );
}

function recallGoal({ system, marked }: SystemRecall, { data }: RecallResults): Goal {
  const { withTurns, withoutTurns } = TARGETS[data.name].recall;
  return atLeastPercent(meanOf(marked, 'R@10'), system.withTurns ? withTurns : withoutTurns);
}

function differenceTable(results: RecallResults): string {
  return grid(
    ['system', 'compared with', ...MEASURES, 'R@10 target', 'met'],
    comparison(results).map(({ of, than, measures, goal }) => [of, than, ...inPercent(measures), ...goalCells(goal)]),
  );
}

function gainTable(hybrid: SystemRecall, lexical: SystemRecall, { data }: RecallResults): string {
  return grid(
    ['questions', '', 'R@10', 'target', 'met'],
    categoryGains(hybrid, lexical, data).map(({ category, questions, gain, goal }) => [
      category,
      String(questions),
      estimatedPercent(gain),
      ...goalCells(goal),
    ]),
  );
}

function conversationTable(results: RecallResults): string {
  const { conversations } = results.data;
  return grid(
    ['system', ...conversations.map(({ name }) => name)],
    [...ownOf(results), ...results.peers].map(({ system, marked }) => [
      system.name,
      ...byConversation(marked, conversations).map(([, some]) => percent(meanOf(some, 'R@10'))),
    ]),
  );
}
