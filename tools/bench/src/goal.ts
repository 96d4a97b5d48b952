import type { Estimate } from './bootstrap.ts';

/** The target of a figure as text, and whether it is met. */
export interface Goal {
  readonly target: string;
  readonly met: boolean;
}

/** Requires a share from 0 to 1 to reach a percentage. */
export function atLeastPercent(part: number, percent: number): Goal {
  return { target: `≥ ${percent}`, met: part * 100 >= percent };
}

/** Requires a difference whose confidence interval is above 0. */
export function ahead({ low }: Estimate): Goal {
  return { target: 'interval > 0', met: low > 0 };
}

/** The table cells of a goal: its target and whether it is met. */
export function goalCells(goal: Goal | undefined): [target: string, met: string] {
  return goal === undefined ? ['', ''] : [goal.target, goal.met ? 'yes' : 'no'];
}
