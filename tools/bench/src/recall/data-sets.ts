import { basename } from 'node:path';
import { type Estimate, estimate } from '../bootstrap.ts';
import { estimatedPercent, percent } from '../percent.ts';
import { mean } from '../statistics.ts';
import { grid } from '../table.ts';
import type { Measure } from './measures.ts';
import { meanOf, type SystemRecall } from './results.ts';
import { lexical, type System } from './systems.ts';

/** Keepsake and the best peer of a measure on one data set. */
interface Lead {
  readonly own: number;
  readonly peer: string;
  readonly best: number;
  /** How much better Keepsake is, paired by question. */
  readonly lead: Estimate;
}

export interface DataSetRecall {
  readonly name: string;
  readonly questions: number;
  readonly leads: Readonly<Record<(typeof COMPARED)[number], Lead>>;
}

const COMPARED = ['R@10', 'MRR'] as const satisfies readonly Measure[];

/** Keepsake next to all peers on each of several directories. */
export async function recallOf(
  directories: readonly string[],
  ask: (system: System, directory: string) => Promise<SystemRecall>,
  peers: readonly System[],
): Promise<DataSetRecall[]> {
  const all: DataSetRecall[] = [];
  for (const directory of directories) {
    const own = await ask(lexical[0], directory);
    const others: SystemRecall[] = [];
    for (const peer of peers) others.push(await ask(peer, directory));
    const leads = { 'R@10': leadOf(own, others, 'R@10'), MRR: leadOf(own, others, 'MRR') };
    all.push({ name: basename(directory), questions: own.marked.length, leads });
  }
  return all;
}

function leadOf(own: SystemRecall, peers: readonly SystemRecall[], measure: Measure): Lead {
  const ranked = peers.toSorted((a, b) => meanOf(b.marked, measure) - meanOf(a.marked, measure));
  // A quick run has no peers.
  const best = ranked[0] ?? own;
  const differences = own.marked.map(({ marks }, n) => marks[measure] - (best.marked[n]?.marks[measure] ?? 0));
  return {
    own: meanOf(own.marked, measure),
    peer: best.system.name,
    best: meanOf(best.marked, measure),
    lead: estimate(differences),
  };
}

/** One table with a row per data set, their mean, and the worst of the differences to the best peer. */
export function dataSetTable(all: readonly DataSetRecall[]): string {
  const rows = all.map(({ name, questions, leads }) => [
    name,
    String(questions),
    ...COMPARED.flatMap((measure) => {
      const { own, peer, best, lead } = leads[measure];
      return [percent(own), `${percent(best)} ${peer}`, estimatedPercent(lead)];
    }),
  ]);
  const summary = (title: string, of: (values: readonly number[]) => number, withLevels: boolean) => [
    title,
    '',
    ...COMPARED.flatMap((measure) => {
      const own = withLevels ? percent(of(all.map(({ leads }) => leads[measure].own))) : '';
      const best = withLevels ? percent(of(all.map(({ leads }) => leads[measure].best))) : '';
      return [own, best, percent(of(all.map(({ leads }) => leads[measure].lead.mean)))];
    }),
  ];
  return grid(
    ['data', 'questions', ...COMPARED.flatMap((measure) => [`${measure} Keepsake`, 'best peer', 'difference'])],
    [...rows, summary('mean', mean, true), summary('worst difference', (values) => Math.min(...values), false)],
  );
}
