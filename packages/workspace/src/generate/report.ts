import type { MemoryError } from '@keepsake/core';
import type { Usage } from './cost.ts';

/** The result and the cost of a generation. Rollouts have the callers' ids. */
export interface GenerateReport {
  /** Conversations with notes. */
  readonly extracted: readonly string[];
  /** Conversations with nothing worth keeping. */
  readonly empty: readonly string[];
  /** Conversations that stay queued for the next generation, with the reason. */
  readonly failed: readonly { readonly rolloutId: string; readonly error: MemoryError }[];
  /** Whether the memory was rewritten. */
  readonly consolidated: boolean;
  /** Why rewriting the memory failed; the memory is unchanged. */
  readonly consolidationError?: MemoryError;
  readonly usage: Usage;
}

/** The progress of a generation. */
export interface GenerateProgress {
  readonly phase: 'extraction' | 'consolidation';
  /** Extracted conversations, and their total. */
  readonly done: number;
  readonly total: number;
  readonly usage: Usage;
}
