import type { Embedder } from '@keepsake/core';
import type { RecordLogs } from '@keepsake/search';

/** A backend without records. */
export interface RecordLogsHarness {
  /** Opens the logs of this backend, as another process would. */
  open(embedder?: Embedder): RecordLogs;
  /** Ends the lease of each index that is being written, as if its writer had not written for a long time. */
  endLeases(): Promise<void>;
}

/** A promise of the seam. */
export interface RecordLogsCase {
  readonly title: string;
  readonly run: (harness: RecordLogsHarness) => Promise<void>;
}

/** The namespace of most cases. Its segments have characters that are special in keys and patterns. */
export const NAMESPACE = ['user', 'a:b*'];

/** Namespaces that are prefixes of each other, or begin alike. */
export const NAMESPACES = [
  [],
  ['a'],
  ['a', 'b'],
  ['a', 'b', 'c'],
  ['ab'],
  ['a:b'],
  ['a*'],
  ['a%'],
  ['a_'],
  ['a/b'],
  ['A'],
];
