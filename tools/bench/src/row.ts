import { median, spread } from './statistics.ts';

/** What was measured, or counted. */
export interface Figure {
  /** Of whom. */
  readonly name: string;
  readonly value: number;
  readonly unit: 'µs' | 'bytes' | 'tokens' | 'times' | 'faults' | '/s';
  /** The middle half of the rounds lies within about ± this part of the value. */
  readonly spread?: number;
  /** What there is to say beside the value. */
  readonly note?: string;
}

/** What the ratio is to come to; or the figure itself, where there is a unit. */
export type Target = ({ readonly atLeast: number } | { readonly atMost: number }) & {
  readonly unit?: keyof typeof SIZES;
};

/** How much of a figure's own unit makes one of a target's. */
const SIZES = { µs: 1, ms: 1_000, s: 1_000_000, bytes: 1, '/s': 1 } as const;

/** One line of a table. */
export interface Row {
  readonly measure: string;
  readonly raw?: Figure;
  readonly keepsake: Figure;
  /** By column. */
  readonly peers?: Readonly<Record<string, Figure>>;
  readonly ratio?: { readonly value: number; readonly spread: number };
  readonly target?: Target;
  readonly met?: boolean;
}

/** The median over rounds. */
export function figure(name: string, unit: Figure['unit'], values: readonly number[]): Figure {
  return { name, unit, value: median(values), spread: spread(values) };
}

/** The end of a row whose ratio was taken round by round: what it is, and whether it is where it is to be. */
export function judged(ratios: readonly number[], target?: Target): Pick<Row, 'ratio' | 'target' | 'met'> {
  const ratio = { value: median(ratios), spread: spread(ratios) };
  return target === undefined ? { ratio } : { ratio, target, met: isMet(ratio.value, target) };
}

/** A row of Keepsake's figure, and whether it is where it is to be. */
export function aimed(keepsake: Figure, target?: Target): Pick<Row, 'keepsake' | 'target' | 'met'> {
  if (target === undefined) return { keepsake };
  const size = target.unit === undefined ? 1 : SIZES[target.unit];
  return { keepsake, target, met: isMet(keepsake.value / size, target) };
}

export function isMet(value: number, target: Target): boolean {
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

/** `a / b` round by round, as far as both went: what slowed down a whole round slowed down both. */
export function ratios(a: readonly number[], b: readonly number[]): number[] {
  return a.slice(0, b.length).map((value, round) => value / (b[round] as number));
}
