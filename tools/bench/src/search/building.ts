import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../area.ts';
import { askChild } from '../child.ts';
import { type Figure, figure } from '../row.ts';
import { median } from '../statistics.ts';
import type { TextContender } from './contenders.ts';
import type { TextScale } from './text-scale.ts';
import type { BuildFacts, SearchWork } from './work.ts';

/** The results of one contender by build, and where the first build was saved. */
interface Built {
  readonly facts: readonly BuildFacts[];
  readonly directory: string;
}

export type Builds = ReadonlyMap<TextContender, Built>;

/** All contenders add all entries, in new processes. */
export async function buildAll(
  own: readonly TextContender[],
  others: readonly TextContender[],
  { entries, length, builds, peerBuilds }: TextScale,
  directory: string,
  say: RunOptions['say'],
): Promise<Builds> {
  const all = [...own, ...others];
  const facts = new Map<TextContender, BuildFacts[]>(all.map((one) => [one, []]));
  const directoryOf = (one: TextContender, build: number) => join(directory, `build-${all.indexOf(one)}-${build}`);
  for (let build = 0; build < builds; build++) {
    for (const one of build < peerBuilds ? all : own) {
      say(`adding ${length} entries, ${one.name}`);
      const empty = directoryOf(one, build);
      mkdirSync(empty);
      const work: SearchWork = { contender: one.name, entries, length, directory: empty, perRound: 0 };
      facts.get(one)?.push(await askChild<SearchWork, BuildFacts>('build', work, ['--expose-gc']));
    }
  }
  return new Map(all.map((one) => [one, { facts: facts.get(one) ?? [], directory: directoryOf(one, 0) }]));
}

export function addsOf(builds: Builds): (one: TextContender) => Figure {
  return (one) =>
    figure(
      one.name,
      '/s',
      factsOf(builds, one).map(({ addsPerSecond }) => addsPerSecond),
    );
}

export function bytesOf(builds: Builds): (one: TextContender) => Figure {
  return (one) => {
    const value = median(factsOf(builds, one).map(({ bytesPerEntry }) => bytesPerEntry));
    const inFiles = factsOf(builds, one).some(({ inFiles }) => inFiles);
    return { name: one.name, unit: 'bytes', value, ...(inFiles ? { note: `${Math.round(value)} B of a file` } : {}) };
  };
}

function factsOf(builds: Builds, one: TextContender): readonly BuildFacts[] {
  return builds.get(one)?.facts ?? [];
}
