import type { MemoryError } from '@keepsake/core';
import type { Usage } from './cost.ts';

/** What a generation did, and what it cost. Rollouts are named as whoever ran them did. */
export interface GenerateReport {
  /** Conversations that gave notes. */
  readonly extracted: readonly string[];
  /** Conversations with nothing worth keeping. */
  readonly empty: readonly string[];
  /** Conversations that stay queued for the next time, and why. */
  readonly failed: readonly { readonly rolloutId: string; readonly error: MemoryError }[];
  /** Whether the memory was written anew. */
  readonly consolidated: boolean;
  /** Why the memory was not written anew, where that failed; it is as it was. */
  readonly consolidationError?: MemoryError;
  readonly usage: Usage;
}

/** How far a generation is. */
export interface GenerateProgress {
  readonly phase: 'extraction' | 'consolidation';
  /** Conversations that are extracted, of how many. */
  readonly done: number;
  readonly total: number;
  readonly usage: Usage;
}
