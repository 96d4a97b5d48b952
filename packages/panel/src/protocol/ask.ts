import type { ShownText } from './answers.ts';
import type { RecordRow } from './records.ts';

// GET ask?question=&namespace=&descendants=&user=&agent=&limit=

export interface Answer {
  /** The namespace that was asked. */
  readonly namespace: string;
  readonly hits: readonly AnswerHit[];
  /** The exact text that a model would get; missing if nothing would be injected. */
  readonly block?: ShownText;
  /** Estimated tokens of the whole block. */
  readonly blockTokens: number;
  readonly tookMs: number;
}

export interface AnswerHit extends RecordRow {
  readonly rank: number;
  readonly score: number;
  /** Score = the total of `sum`, multiplied by each of `factors`. Missing if the store can't explain. */
  readonly explanation?: {
    readonly sum: { readonly [signal: string]: number };
    readonly factors: { readonly [signal: string]: number };
  };
  /** Whether its text is in the block. */
  readonly injected: boolean;
}
