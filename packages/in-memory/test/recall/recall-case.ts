/** Memories as agents store them, and questions that users ask. */
export interface RecallCases {
  /** Oldest first. */
  readonly memories: readonly string[];
  /** By topic. */
  readonly questions: Readonly<Record<string, readonly RecallCase[]>>;
}

interface RecallCase {
  readonly ask: string;
  /** A part of the memory that must be the first result. */
  readonly first: string;
  /** Why today's ranking misses it. The test fails as soon as it no longer does. */
  readonly miss?: string;
}
