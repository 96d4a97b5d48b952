import type { MemoryManager, Session } from '@keepsake/core';

/** What a user said, with the conversation and the memory that it belongs to. */
export interface Turn {
  readonly content: string;
  /** Keeps the conversation. */
  readonly session: Session;
  readonly thread: string;
  /** The memory of this user, from all conversations. */
  readonly memory: MemoryManager;
  readonly signal: AbortSignal;
}
