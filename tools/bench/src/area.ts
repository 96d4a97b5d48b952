import type { Row } from './row.ts';

/** A field of measures, which makes one table. */
export interface Area {
  readonly title: string;
  run(options: RunOptions): Promise<Row[]>;
}

interface RunOptions {
  /** Small sizes, few rounds and no peers: shows that the benchmark works, and nothing else. */
  readonly quick: boolean;
  /** An empty directory for whatever is written. */
  readonly directory: string;
  /** Says what is being done. */
  say(what: string): void;
}
