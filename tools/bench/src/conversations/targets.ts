import type { DataSetName } from './shape.ts';

/** The targets of Keepsake on a data set, in percent. */
export interface Targets {
  /** Recall at 10 without an embedder. */
  readonly recall: { readonly withTurns: number; readonly withoutTurns: number };
  /** How much an embedder must add to recall at 10. */
  readonly hybridGain: number;
  /** How much an embedder may cost any one category. */
  readonly hybridLoss: number;
  /** Evidence seen in the injected block. */
  readonly seen: number;
}

export const TARGETS: Readonly<Record<DataSetName, Targets>> = {
  LoCoMo: { recall: { withTurns: 82, withoutTurns: 66 }, hybridGain: 1.5, hybridLoss: 1, seen: 82 },
  BEAM: { recall: { withTurns: 60, withoutTurns: 52 }, hybridGain: 1, hybridLoss: 1, seen: 50 },
};

/** The size of any injected block, in tokens. */
export const MAX_TOKENS = 1_000;

/** The mean block size of unanswerable questions, relative to the mean size of the others. */
export const MAX_UNANSWERABLE_SIZE = 0.6;
