import type { Entry } from '../engines/engine.ts';

/** A conversation and the questions about it. */
export interface Conversation {
  readonly name: string;
  /** One per message, in order. */
  readonly entries: readonly Entry[];
  readonly questions: readonly Question[];
  /** Questions that the conversation does not answer. */
  readonly unanswerable: readonly string[];
}

export interface Question {
  readonly text: string;
  readonly category: string;
  /** The indexes of the entries with the answer: at least one, each once. */
  readonly evidence: readonly number[];
  /** How many entries existed when the question was asked: the first ones. @default All. */
  readonly before?: number;
}
