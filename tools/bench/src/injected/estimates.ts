import { type Estimate, estimate } from '../bootstrap.ts';
import { estimatedPercent } from '../percent.ts';
import type { Shown, Size } from './shown.ts';

/** Estimates of the blocks of some questions. */
export interface SizeEstimates {
  /** The share of empty blocks. */
  readonly empty: Estimate;
  readonly tokens: Estimate;
  readonly entries: Estimate;
  readonly restatements: Estimate;
}

/** Estimates of the shown evidence of some questions. */
export interface ShownEstimates extends SizeEstimates {
  readonly seen: Estimate;
  /** The share of questions whose block shows none of their evidence. */
  readonly nothingSeen: Estimate;
}

const SIZE_COLUMNS = ['empty blocks', 'tokens', 'entries', 'restatements'] as const;
export const COLUMNS = ['evidence seen', 'nothing seen', ...SIZE_COLUMNS] as const;

export function estimateSizes(sizes: readonly Size[]): SizeEstimates {
  return {
    empty: estimate(sizes.map(({ entries }) => (entries === 0 ? 1 : 0))),
    tokens: estimate(sizes.map(({ tokens }) => tokens)),
    entries: estimate(sizes.map(({ entries }) => entries)),
    restatements: estimate(sizes.map(({ restatements }) => restatements)),
  };
}

export function estimateShown(shown: readonly Shown[]): ShownEstimates {
  return {
    seen: estimate(shown.map(({ seen }) => seen)),
    nothingSeen: estimate(shown.map(({ seen }) => (seen === 0 ? 1 : 0))),
    ...estimateSizes(shown),
  };
}

/** The cells of {@link COLUMNS}. */
export function shownCells({ seen, nothingSeen, ...sizes }: ShownEstimates): string[] {
  return [estimatedPercent(seen), estimatedPercent(nothingSeen), ...sizeCells(sizes)];
}

/** The cells of the columns of sizes. */
export function sizeCells({ empty, tokens, entries, restatements }: SizeEstimates): string[] {
  return [estimatedPercent(empty), estimated(tokens, 0), estimated(entries, 1), estimated(restatements, 2)];
}

function estimated({ mean, low, high }: Estimate, digits: number): string {
  return `${mean.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}
