import { type Estimate, estimate } from '../bootstrap.ts';
import { estimatedPercent } from '../percent.ts';
import { type Marked, MEASURES, type Measure } from './measures.ts';

export type Estimates = Readonly<Record<Measure, Estimate>>;

export function estimates(marked: readonly Marked[]): Estimates {
  return ofEach((measure) => estimate(marked.map(({ marks }) => marks[measure])));
}

/** How much better one system is than the other, paired by question. */
export function differenceOf(one: readonly Marked[], other: readonly Marked[]): Estimates {
  return ofEach((measure) =>
    estimate(one.map(({ marks }, question) => marks[measure] - (other[question] as Marked).marks[measure])),
  );
}

/** The cells of a table. */
export function inPercent(estimates: Estimates): string[] {
  return MEASURES.map((measure) => estimatedPercent(estimates[measure]));
}

function ofEach<T>(make: (measure: Measure) => T): Record<Measure, T> {
  return Object.fromEntries(MEASURES.map((measure) => [measure, make(measure)])) as Record<Measure, T>;
}
