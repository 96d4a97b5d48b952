import type { Estimate } from './bootstrap.ts';

/** What a figure must reach, for people, and whether it does. */
export interface Goal {
  readonly target: string;
  readonly met: boolean;
}

/** A part from 0 to 1 that must reach a number of percent. */
export function atLeastPercent(part: number, percent: number): Goal {
  return { target: `≥ ${percent}`, met: part * 100 >= percent };
}

/** A difference that must be above 0 beyond chance. */
export function ahead({ low }: Estimate): Goal {
  return { target: 'interval > 0', met: low > 0 };
}

/** The cells of a goal in a table: its target, and whether it is met. */
export function goalCells(goal: Goal | undefined): [target: string, met: string] {
  return goal === undefined ? ['', ''] : [goal.target, goal.met ? 'yes' : 'no'];
}
