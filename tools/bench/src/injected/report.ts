import { ABSTENTION } from '../conversations/beam.ts';
import type { DataSet } from '../conversations/data-set.ts';
import { byCategory } from '../conversations/groups.ts';
import { goalCells } from '../goal.ts';
import { estimatedPercent } from '../percent.ts';
import { grid } from '../table.ts';
import { COLUMNS, estimateShown, estimateSizes, shownCells, sizeCells } from './estimates.ts';
import { differences, type Injected, type InjectedResults, largestBlock, requirements } from './results.ts';

/** Tables: shares in percent, sizes as means of all blocks. */
export function report(results: InjectedResults): string {
  const { data, own, peers } = results;
  const notes = peers.flatMap(({ injector: { name, note } }) => (note === undefined ? [] : [`${name} ${note}.`]));
  const compared = differences(results);
  return [
    intro(results),
    ...own.map((one) => `${one.injector.name}:\n\n${categoryTable(one, data)}`),
    `All answerable questions, by system:\n\n${systemTable([...own, ...peers])}`,
    ...notes,
    `Targets:\n\n${requirementTable(results)}`,
    ...(compared.length === 0 ? [] : [`Evidence seen, paired by question:\n\n${differenceTable(results)}`]),
  ].join('\n\n');
}

/** The same as data: shares from 0 to 1. */
export function toJson(results: InjectedResults): unknown {
  const { data, own, peers } = results;
  return {
    data: data.name,
    systems: [...own, ...peers].map((one) => ({
      name: one.injector.name,
      largestBlock: largestBlock(one),
      byCategory: Object.fromEntries(
        byCategory(one.shown.answerable, data.categories).map(([name, some]) => [
          name,
          { questions: some.length, ...estimateShown(some) },
        ]),
      ),
      ...(one.shown.unanswerable.length > 0 && {
        unanswerable: { questions: one.shown.unanswerable.length, ...estimateSizes(one.shown.unanswerable) },
      }),
    })),
    requirements: own.flatMap((one) => requirements(one, data)),
    differences: differences(results),
  };
}

function intro({ data, own }: InjectedResults): string {
  const { answerable = [], unanswerable = [] } = own[0]?.shown ?? {};
  const others = unanswerable.length === 0 ? '' : `, and ${unanswerable.length} unanswerable`;
  return `${data.name}. Conversations: ${data.conversations.length}. Questions: ${answerable.length}${others}. Shares in percent, with 95 % intervals.`;
}

function categoryTable({ shown: { answerable, unanswerable } }: Injected, { categories }: DataSet): string {
  const lines = byCategory(answerable, categories).map(([name, some]) => [
    name,
    String(some.length),
    ...shownCells(estimateShown(some)),
  ]);
  if (unanswerable.length > 0) {
    lines.push([ABSTENTION, String(unanswerable.length), '', '', ...sizeCells(estimateSizes(unanswerable))]);
  }
  return grid(['questions', '', ...COLUMNS], lines);
}

function systemTable(all: readonly Injected[]): string {
  return grid(
    ['system', ...COLUMNS, 'largest block'],
    all.map((one) => [
      one.injector.name,
      ...shownCells(estimateShown(one.shown.answerable)),
      largestBlock(one).toLocaleString('en'),
    ]),
  );
}

function requirementTable({ data, own }: InjectedResults): string {
  return grid(
    ['system', 'measure', 'value', 'target', 'met'],
    own
      .flatMap((one) => requirements(one, data))
      .map(({ of, measure, value, goal }) => [of, measure, value, ...goalCells(goal)]),
  );
}

function differenceTable(results: InjectedResults): string {
  return grid(
    ['system', 'compared with', 'evidence seen', 'target', 'met'],
    differences(results).map(({ of, than, seen, goal }) => [of, than, estimatedPercent(seen), ...goalCells(goal)]),
  );
}
