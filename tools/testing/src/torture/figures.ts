import type { TestContext } from 'vitest';

/** What a test has shown of one line of the list of what must hold. */
interface Figures {
  /** The number of the line. */
  readonly line: number;
  /** What was done, and the figures seen. */
  readonly text: string;
  /** Printed below it. */
  readonly details: readonly string[];
}

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figures;
  }
}

/** Has the table at the end of the run say what a test has shown. Call it last: it stands for what was proven. */
export function show({ task }: TestContext, line: number, text: string, details: readonly string[] = []): void {
  task.meta.figures = { line, text, details };
}

/** A number as people read it: `18,312`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
