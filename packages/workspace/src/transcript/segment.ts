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
 * What a run adds to its conversation. Items can be from any framework: messages, tool calls and results.
 *
 * Not stored: system and developer messages and reasoning. Bytes become `{ type, byteLength }`; keys, tokens and connection
 * strings become `[redacted]`.
 */
export interface SegmentInput {
  /** The new input of this run: a string or items. Not the history before it. */
  readonly input: string | readonly unknown[];
  /** The output of the run: answers, tool calls and results. */
  readonly generatedItems: readonly unknown[];
  /** What the run is waiting for, such as approvals. */
  readonly interruptions?: readonly unknown[] | undefined;
  readonly terminal: Terminal;
  readonly finalOutput?: unknown;
  /** ISO 8601. @default Now. */
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
