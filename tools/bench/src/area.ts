import type { Row } from './row.ts';
import { table } from './table.ts';

/** An area of the benchmark. */
export interface Area {
  readonly title: string;
  /** What the data directory must contain. The data is not in the repository. Missing if the area needs none. */
  readonly data?: string;
  /** Whether the area runs only if it is named. */
  readonly onlyByName?: boolean;
  /** Whether the area runs without peers, so that none must be installed. */
  readonly withoutPeers?: boolean;
  run(options: RunOptions): Promise<Outcome>;
}

export interface RunOptions {
  /** Small sizes, few rounds and no peers: only checks that the benchmark works. */
  readonly quick: boolean;
  /** An empty directory for output. */
  readonly directory: string;
  /** The directories with the data that the area needs, at least one. */
  readonly data?: readonly string[];
  /** For scale: the backends to measure. @default all */
  readonly only?: readonly string[];
  /** For scale: the most records of a backend. */
  readonly maxRecords?: number;
  /** Reports progress. */
  say(what: string): void;
}

/** The results, as Markdown and as data. */
export interface Outcome {
  readonly text: string;
  readonly json: unknown;
  /** Whether the program must exit with code 1. */
  readonly failed?: boolean;
}

/** A result that is one table. */
export function ofRows(rows: readonly Row[]): Outcome {
  return { text: table(rows), json: rows };
}
