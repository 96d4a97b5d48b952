import { type Estimate, estimate } from '../bootstrap.ts';
import type { DataSet } from '../conversations/data-set.ts';
import { MAX_TOKENS, MAX_UNANSWERABLE_SIZE, TARGETS } from '../conversations/targets.ts';
import { ahead, atLeastPercent, type Goal } from '../goal.ts';
import { percent } from '../percent.ts';
import { mean } from '../statistics.ts';
import type { Injector } from './injector.ts';
import type { AllShown, Shown, Size } from './shown.ts';

/** What one injector shows to models, by question, in the same order for all injectors. */
export interface Injected {
  readonly injector: Injector;
  readonly shown: AllShown;
}

/** The results of all injectors. */
export interface InjectedResults {
  readonly data: DataSet;
  readonly own: readonly Injected[];
  readonly peers: readonly Injected[];
}

/** How much more of the evidence one injector shows than another, paired by question. */
export interface Difference {
  readonly of: string;
  readonly than: string;
  readonly seen: Estimate;
  readonly goal: Goal;
}

/** All of Keepsake's injectors, compared with the peer that shows most of the evidence. */
export function differences({ own, peers }: InjectedResults): readonly Difference[] {
  const [best] = peers.toSorted((a, b) => meanSeen(b) - meanSeen(a));
  if (best === undefined) return [];
  return own.map((one) => {
    const others = best.shown.answerable;
    const seen = estimate(one.shown.answerable.map(({ seen }, question) => seen - (others[question] as Shown).seen));
    return { of: one.injector.name, than: best.injector.name, seen, goal: ahead(seen) };
  });
}

/** The targets of one of Keepsake's injectors. */
export interface Requirement {
  readonly of: string;
  readonly measure: string;
  readonly value: string;
  readonly goal: Goal;
}

export function requirements(one: Injected, { name }: DataSet): readonly Requirement[] {
  const of = one.injector.name;
  const seen = meanSeen(one);
  const largest = largestBlock(one);
  const ratio = unanswerableSize(one);
  return [
    { of, measure: 'evidence seen, in percent', value: percent(seen), goal: atLeastPercent(seen, TARGETS[name].seen) },
    { of, measure: 'largest block, in tokens', value: String(largest), goal: atMost(largest, MAX_TOKENS) },
    ...(ratio === undefined
      ? []
      : [
          {
            of,
            measure: 'mean block of unanswerable / of answerable questions',
            value: ratio.toFixed(2),
            goal: atMost(ratio, MAX_UNANSWERABLE_SIZE),
          },
        ]),
  ];
}

export function largestBlock({ shown }: Injected): number {
  return Math.max(...sizesOf(shown).map(({ tokens }) => tokens));
}

function meanSeen({ shown }: Injected): number {
  return mean(shown.answerable.map(({ seen }) => seen));
}

/** Returns nothing if every question can be answered. */
function unanswerableSize({ shown: { answerable, unanswerable } }: Injected): number | undefined {
  const tokens = (sizes: readonly Size[]) => mean(sizes.map(({ tokens }) => tokens));
  return unanswerable.length === 0 ? undefined : tokens(unanswerable) / tokens(answerable);
}

function sizesOf({ answerable, unanswerable }: AllShown): readonly Size[] {
  return [...answerable, ...unanswerable];
}

function atMost(value: number, limit: number): Goal {
  return { target: `≤ ${limit.toLocaleString('en')}`, met: value <= limit };
}
