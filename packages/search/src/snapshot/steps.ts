import { Pauses } from '../records/pause.ts';

/** Long work that stops after each small step. */
export type Steps<T> = Generator<undefined, T>;

/** How many rows are about one step. */
const ROWS = 1_024;

/** Whether a step ends with this row. */
export function endsStep(row: number): boolean {
  return row % ROWS === ROWS - 1;
}

/** Does the work at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does the work and lets the event loop turn now and then. */
export async function finishWithPauses<T>(steps: Steps<T>): Promise<T> {
  const pauses = new Pauses();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pauses.afterStep();
  }
}
