import { TERM_SHARES, termShares } from '../../../../packages/search/src/lexical/bm25.ts';
import { WEIGHTS } from '../../../../packages/search/src/ranking/ranking-weights.ts';

/** A weight of the ranking that was chosen on data. */
export interface Tuned {
  /** Its name in `WEIGHTS`, with a dot before the name of a part. */
  readonly name: string;
  /** The values to choose from. The first is the start of a search: without the signal, or far from the value in use. */
  readonly values: readonly number[];
  /** Whether it changes only searches of turns. */
  readonly ofTurns?: true;
}

/** In the order in which they are chosen. */
export const TUNED: readonly Tuned[] = [
  { name: 'saturation', values: [1.2, 0.4, 0.8] },
  { name: 'length', values: [0.01, 0.02, 0.04] },
  { name: 'around.talk', values: [0, 0.2, 0.4, 0.8] },
  { name: 'around.essays', values: [0.2, 0, 0.05] },
  { name: 'before', values: [0, 0.25, 0.5], ofTurns: true },
  { name: 'after', values: [0, 0.2, 0.4], ofTurns: true },
  { name: 'answer', values: [1, 2, 3], ofTurns: true },
  { name: 'speaker', values: [1, 1.4, 1.8], ofTurns: true },
  { name: 'user', values: [1, 1.5, 2], ofTurns: true },
  { name: 'instructs', values: [1, 1.5, 2] },
  { name: 'instructsFact', values: [1, 1.4, 2] },
  { name: 'kind', values: [0, 0.25, 0.5] },
  { name: 'framing', values: [1, 0.3, 0.6] },
  { name: 'inside.instead', values: [0.1, 0.4, 0.7] },
  { name: 'inside.besides', values: [0.05, 0.15, 0.3] },
];

/** Values by the names of their weights. */
export type Chosen = Readonly<Record<string, number>>;

type Numbers = Record<string, number | Record<string, number>>;

/** The values in use. */
export function valuesInUse(): Chosen {
  return Object.fromEntries(TUNED.map(({ name }) => [name, Number(partOf(name)[0][partOf(name)[1]])]));
}

/** Changes the ranking of this process, which must run from the sources. */
export function useValues(chosen: Chosen): void {
  for (const [name, value] of Object.entries(chosen)) {
    const [group, key] = partOf(name);
    group[key] = value;
  }
  TERM_SHARES.set(termShares());
}

function partOf(name: string): [group: Numbers, key: string] {
  const all = WEIGHTS as unknown as Numbers;
  const [first = '', second] = name.split('.');
  return second === undefined ? [all, first] : [all[first] as Numbers, second];
}
