import type { JsonValue } from '@keepsake/core';

/** How a run ended. */
export type TerminalState =
  | 'completed'
  | 'interrupted'
  | 'cancelled'
  | 'failed'
  | 'max_turns_exceeded'
  | 'guardrail_tripped';

export const TERMINAL_STATES: readonly TerminalState[] = [
  'completed',
  'interrupted',
  'cancelled',
  'failed',
  'max_turns_exceeded',
  'guardrail_tripped',
];

export interface Terminal {
  readonly state: TerminalState;
  /** The name of the error's class. */
  readonly exceptionType?: string | undefined;
  readonly exceptionMessage?: string | undefined;
  readonly hasFinalOutput: boolean;
}

/**
 * What a run adds to its conversation. Items may be those of any framework: messages, calls of tools, their results.
 *
 * What is written of it leaves out system and developer messages and reasoning; bytes become `{ type, byteLength }`; keys,
 * tokens and connection strings become `[redacted]`.
 */
export interface SegmentInput {
  /** What was asked in this run: a text, or what is new in its input. Not the history before it. */
  readonly input: string | readonly unknown[];
  /** What the run has added: answers, calls of tools and their results. */
  readonly generatedItems: readonly unknown[];
  /** What the run waits for, such as approvals. */
  readonly interruptions?: readonly unknown[] | undefined;
  readonly terminal: Terminal;
  readonly finalOutput?: unknown;
  /** ISO 8601; by default now. */
  readonly updatedAt?: string | undefined;
}

/** A line of a transcript. */
export interface Segment {
  readonly updatedAt: string;
  readonly rolloutId: string;
  readonly input: readonly JsonValue[];
  readonly generatedItems: readonly JsonValue[];
  readonly interruptions?: readonly JsonValue[];
  readonly terminal: Terminal;
  readonly finalOutput?: JsonValue;
}
