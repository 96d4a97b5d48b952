import type { Outcome } from '../area.ts';
import { median, spread } from '../statistics.ts';
import { digits, grid, plusMinus } from '../table.ts';
import type { Floor } from './floors.ts';

/** A figure before it is judged. */
export interface Measured {
  readonly figure: string;
  /** The speed of Keepsake if that of the raw limit or the peer is 1, per round. */
  readonly ratios: readonly number[];
}

interface Verdict {
  readonly figure: string;
  /** The median over rounds. */
  readonly ratio: number;
  /** Half the interquartile range, relative to the ratio. */
  readonly noise: number;
  readonly floor: number;
  /** Whether the ratio is below the floor by more than the noise, of which at most {@link MOST_NOISE} counts; or is no number. */
  readonly slower: boolean;
}

/** What counts as noise at most, relative to the ratio: a figure that varies more must be above its floor. */
const MOST_NOISE = 0.1;

/**
 * Compares each figure with its floor. The outcome has failed if one is below it by more than its noise.
 *
 * @throws Error unless there is one floor for each figure, and one figure for each floor.
 */
export function judge(all: readonly Measured[], floors: readonly Floor[]): Outcome {
  const verdicts = verdictsOn(all, floors);
  const slower = verdicts.filter((verdict) => verdict.slower).map(({ figure }) => figure);
  const result =
    slower.length === 0
      ? 'No figure is below its floor by more than its noise.'
      : `Below the floor by more than the noise: ${slower.join('; ')}.`;
  const text = `${tableOf(verdicts, ({ slower }) => (slower ? 'slower' : 'ok'))}\n\n${result}`;
  return { text, json: verdicts, failed: slower.length > 0 };
}

/** The same table of a quick run, whose figures are meaningless. It does not fail. */
export function withoutJudgement(all: readonly Measured[], floors: readonly Floor[]): Outcome {
  const verdicts = verdictsOn(all, floors).map(({ slower: _, ...figures }) => figures);
  return { text: tableOf(verdicts, () => 'not judged'), json: verdicts };
}

function verdictsOn(all: readonly Measured[], floors: readonly Floor[]): Verdict[] {
  const unmeasured = floors.find(({ figure }) => !all.some((measured) => measured.figure === figure));
  if (unmeasured !== undefined) throw new Error(`"${unmeasured.figure}" has a floor and was not measured.`);
  return all.map(({ figure, ratios }) => {
    const [found, another] = floors.filter((floor) => floor.figure === figure);
    if (found === undefined || another !== undefined) throw new Error(`"${figure}" must have exactly one floor.`);
    const { floor } = found;
    const [ratio, noise] = [median(ratios), spread(ratios)];
    return { figure, ratio, noise, floor, slower: !(ratio >= floor - Math.min(noise, MOST_NOISE) * ratio) };
  });
}

function tableOf<Line extends Omit<Verdict, 'slower'>>(
  lines: readonly Line[],
  verdictOf: (line: Line) => string,
): string {
  return grid(
    ['figure', 'ratio', 'noise', 'floor', 'verdict'],
    lines.map((line) => [line.figure, digits(line.ratio), plusMinus(line.noise), digits(line.floor), verdictOf(line)]),
  );
}
