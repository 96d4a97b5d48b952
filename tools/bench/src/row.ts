import { median, spread } from './statistics.ts';

/** A measured or counted value. */
export interface Figure {
  /** What was measured. */
  readonly name: string;
  readonly value: number;
  readonly unit: 'µs' | 'bytes' | 'tokens' | 'times' | 'faults' | '/s';
  /** The middle half of the rounds is within about ± this share of the value. */
  readonly spread?: number;
  /** Shown instead of the value. */
  readonly note?: string;
}

/** The target of the ratio, or of the figure itself if there is a unit. */
export type Target = ({ readonly atLeast: number } | { readonly atMost: number }) & {
  readonly unit?: keyof typeof SIZES;
};

/** The factor from a figure's unit to the target's unit. */
const SIZES = { µs: 1, ms: 1_000, s: 1_000_000, bytes: 1, '/s': 1 } as const;

/** One line of a table. */
export interface Row {
  readonly measure: string;
  readonly raw?: Figure;
  readonly keepsake: Figure;
  /** The figures of peers, by column. */
  readonly peers?: Readonly<Record<string, Figure>>;
  readonly ratio?: { readonly value: number; readonly spread: number };
  readonly target?: Target;
  readonly met?: boolean;
}

/** The median over rounds. */
export function figure(name: string, unit: Figure['unit'], values: readonly number[]): Figure {
  return { name, unit, value: median(values), spread: spread(values) };
}

/** The last cells of a row with a ratio by round: the ratio and whether it meets the target. */
export function judged(ratios: readonly number[], target?: Target): Pick<Row, 'ratio' | 'target' | 'met'> {
  const ratio = { value: median(ratios), spread: spread(ratios) };
  return target === undefined ? { ratio } : { ratio, target, met: isMet(ratio.value, target) };
}

/** A row with Keepsake's figure and whether it meets the target. */
export function aimed(keepsake: Figure, target?: Target): Pick<Row, 'keepsake' | 'target' | 'met'> {
  if (target === undefined) return { keepsake };
  const size = target.unit === undefined ? 1 : SIZES[target.unit];
  return { keepsake, target, met: isMet(keepsake.value / size, target) };
}

export function isMet(value: number, target: Target): boolean {
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

/** `a / b` by round, for the rounds that both ran, because a slow round affects both. */
export function ratios(a: readonly number[], b: readonly number[]): number[] {
  return a.slice(0, b.length).map((value, round) => value / (b[round] as number));
}
