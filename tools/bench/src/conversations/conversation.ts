import type { Entry } from '../engines/engine.ts';

/** A conversation, and what is asked about it. */
export interface Conversation {
  readonly name: string;
  /** One per message, in order. */
  readonly entries: readonly Entry[];
  readonly questions: readonly Question[];
  /** Questions that nothing in the conversation answers. */
  readonly unanswerable: readonly string[];
}

export interface Question {
  readonly text: string;
  readonly category: string;
  /** The places of the entries that hold the answer: at least one, each once. */
  readonly evidence: readonly number[];
}
