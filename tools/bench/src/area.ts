import type { Row } from './row.ts';
import { table } from './table.ts';

/** A field of measures. */
export interface Area {
  readonly title: string;
  /** What the directory with its data must hold; it is not in the repository. Missing where it needs none. */
  readonly data?: string;
  run(options: RunOptions): Promise<Outcome>;
}

export interface RunOptions {
  /** Small sizes, few rounds and no peers: shows that the benchmark works, and nothing else. */
  readonly quick: boolean;
  /** An empty directory for whatever is written. */
  readonly directory: string;
  /** The directory with the data that the area needs. */
  readonly data?: string;
  /** Says what is being done. */
  say(what: string): void;
}

/** What came of it: for people, in Markdown, and as data. */
export interface Outcome {
  readonly text: string;
  readonly json: unknown;
}

/** An outcome that is one table. */
export function ofRows(rows: readonly Row[]): Outcome {
  return { text: table(rows), json: rows };
}
