import type { DataSet } from '../conversations/data-set.ts';
import { mean } from '../statistics.ts';
import type { Marked, Measure } from './measures.ts';
import type { Pair, System } from './systems.ts';

/** The results of one system by question, in the same order for all systems. */
export interface SystemRecall {
  readonly system: System;
  readonly marked: readonly Marked[];
}

/** The results of all systems. */
export interface RecallResults {
  readonly data: DataSet;
  /** Keepsake without an embedder. */
  readonly lexical: Pair<SystemRecall>;
  /** Keepsake with an embedder; missing in a quick run. */
  readonly hybrid?: Pair<SystemRecall>;
  /** Other backends of Keepsake. */
  readonly backends: readonly SystemRecall[];
  readonly peers: readonly SystemRecall[];
}

/** All of Keepsake's systems. */
export function ownOf({ lexical, hybrid, backends }: RecallResults): readonly SystemRecall[] {
  return [...lexical, ...(hybrid ?? []), ...backends];
}

export function meanOf(marked: readonly Marked[], measure: Measure): number {
  return mean(marked.map(({ marks }) => marks[measure]));
}
