import { basename } from 'node:path';
import type { Area } from '../area.ts';
import { estimate } from '../bootstrap.ts';
import { DATA } from '../conversations/data-set.ts';
import { machine } from '../machine.ts';
import { estimatedPercent, percent } from '../percent.ts';
import type { Marked } from '../recall/measures.ts';
import { meanOf } from '../recall/results.ts';
import { mean } from '../statistics.ts';
import { grid } from '../table.ts';
import { choose } from './choose.ts';
import { type Sample, type Size, samplesOf } from './sample.ts';
import { type Chosen, TUNED, useValues, valuesInUse } from './tuned.ts';

const SIZE: Size = { asked: 400, toChoose: 40 };
const SMALL: Size = { asked: 2, toChoose: 1 };

/** The data sets of a kind, which are left out together. */
interface Family {
  readonly name: string;
  readonly samples: readonly (Sample & { readonly name: string })[];
}

/** How well weights do on data that they were not chosen on. */
export const weights: Area = {
  title: 'Weights chosen with a family of data sets left out',
  data: DATA,
  onlyByName: true,
  withoutPeers: true,
  async run({ quick, data = [], say }) {
    if (machine().keepsake !== 'sources') {
      throw new Error('Weights can be changed only in the sources: run node with --conditions=@keepsake/source.');
    }
    const inUse = valuesInUse();
    const families = familiesOf(data, quick ? SMALL : SIZE);
    if (families.length < 2)
      throw new Error('Weights need --data of two families or more, so that one can be left out.');
    const tuned = quick ? TUNED.slice(0, 2) : TUNED;
    const chosenOn = async (on: readonly Family[]): Promise<Chosen> => ({
      ...inUse,
      ...(await choose(tuned, (chosen) => worthOf(on, { ...inUse, ...chosen }))),
    });
    try {
      say('choosing on all');
      const onAll = await chosenOn(families);
      const columns = new Map([
        ['in use', inUse],
        ['chosen on all', onAll],
      ]);
      const lines: string[][] = [];
      for (const family of families) {
        say(`choosing without ${family.name}`);
        const without = await chosenOn(families.filter((other) => other !== family));
        columns.set(`without ${family.name}`, without);
        for (const { name, marked } of family.samples) {
          lines.push(lineOf(name, await marked(inUse), await marked(onAll), await marked(without)));
        }
      }
      const values = TUNED.map(({ name }) => [name, ...Array.from(columns.values(), (chosen) => String(chosen[name]))]);
      const text = `${grid(HEAD, lines)}\n\n${grid(['weight', ...columns.keys()], values)}`;
      return { text, json: { lines, weights: Object.fromEntries(columns) } };
    } finally {
      useValues(inUse);
    }
  },
};

const HEAD = ['R@10 / MRR', 'in use', 'chosen on all', 'chosen without it', 'the latter minus in use'];

/** Data sets belong to a family if their names are the same up to the first hyphen. */
function familiesOf(directories: readonly string[], size: Size): Family[] {
  const byName = Map.groupBy(directories, (directory) => basename(directory).split('-')[0] as string);
  return Array.from(byName, ([name, those]) => ({
    name,
    samples: those.flatMap((directory) =>
      samplesOf(directory, size).map((sample) => ({
        ...sample,
        name: `${basename(directory)}${sample.withTurns ? ', turns' : ''}`,
      })),
    ),
  }));
}

/** Every family counts the same, however many data sets it has. */
async function worthOf(families: readonly Family[], chosen: Chosen): Promise<number> {
  const worths: number[] = [];
  for (const { samples } of families) {
    const ofFamily: number[] = [];
    for (const sample of samples) ofFamily.push(await sample.worthOf(chosen));
    worths.push(mean(ofFamily));
  }
  return mean(worths);
}

function lineOf(
  name: string,
  inUse: readonly Marked[],
  onAll: readonly Marked[],
  without: readonly Marked[],
): string[] {
  const both = (marked: readonly Marked[]) => `${percent(meanOf(marked, 'R@10'))} / ${percent(meanOf(marked, 'MRR'))}`;
  const difference = (measure: 'R@10' | 'MRR') =>
    estimatedPercent(estimate(without.map(({ marks }, n) => marks[measure] - (inUse[n] as Marked).marks[measure])));
  return [name, both(inUse), both(onAll), both(without), `${difference('R@10')} / ${difference('MRR')}`];
}
