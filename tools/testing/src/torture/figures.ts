import type { TestContext } from 'vitest';

/** The result of a test for one line of the list of guarantees. */
interface Figures {
  /** The number of the line. */
  readonly line: number;
  /** What was done and the measured figures. */
  readonly text: string;
  /** Details, printed below the line. */
  readonly details: readonly string[];
}

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figures;
  }
}

/**
 * Adds the result of a test to the table at the end of the run. Call it last, because it states that the test has passed.
 */
export function show({ task }: TestContext, line: number, text: string, details: readonly string[] = []): void {
  task.meta.figures = { line, text, details };
}

/** Formats a number like this: `18,312`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
