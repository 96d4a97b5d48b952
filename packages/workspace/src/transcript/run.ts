import type { JsonValue } from '@keepsake/core';
import { expect, expectFields, guarded } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { redactJson } from '@keepsake/privacy';
import type { Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import type { Workspace } from '../files/workspace.ts';
import { readForgotten } from '../generate/forgotten.ts';
import { encodeRolloutId } from './rollout-id.ts';
import { sanitizeItems, sanitizeValue } from './sanitize.ts';
import { type Segment, type SegmentInput, TERMINAL_STATES } from './segment.ts';

/** One or more runs of a conversation, stored until the memory is generated. */
export interface Run {
  /** The ids of the conversation. */
  readonly rolloutId: string;
  /**
   * Stores a segment of the run. When the promise is fulfilled, it is durable in the workspace. Without `generate`, stores
   * nothing.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an invalid segment; nothing was written.
   */
  append(segment: SegmentInput): Promise<void>;
  /**
   * Tells the memory that a run has begun that is appended later, for example a stream that nobody may read to its end.
   * `close()` calls `onClose` before it distils, and waits at most 30 seconds for it: append there what the run has so far,
   * or wait for its end. Call the returned function when the run has been appended.
   */
  begin(onClose: () => Promise<unknown>): () => void;
}

/** Appends a segment to its transcript. */
export async function appendSegment(
  workspace: Workspace,
  ledger: Ledger,
  paths: Paths,
  segment: Segment,
): Promise<void> {
  const forgotten = await readForgotten(ledger, paths);
  const line = forgotten.maskLine(JSON.stringify(segment));
  await workspace.append(paths.session(encodeRolloutId(segment.rolloutId)), line);
}

/** A checked copy of what a run adds, without what is not stored. Throws `INVALID_ARGUMENT` if it is invalid. */
export function toSegment(rolloutId: string, segmentInput: SegmentInput): Segment {
  return guarded('`segment`', () => segmentOf(rolloutId, checkSegment(segmentInput)));
}

function segmentOf(rolloutId: string, segmentInput: SegmentInput): Segment {
  const { input, generatedItems, interruptions, terminal, finalOutput } = segmentInput;
  const { state, hasFinalOutput, exceptionType, exceptionMessage } = terminal;
  const output = sanitizeValue(finalOutput);
  const segment = {
    input: sanitizeItems(input),
    generatedItems: sanitizeItems(generatedItems),
    ...(interruptions !== undefined && { interruptions: sanitizeItems(interruptions) }),
    terminal: {
      state,
      ...(exceptionType !== undefined && { exceptionType }),
      ...(exceptionMessage !== undefined && { exceptionMessage }),
      hasFinalOutput,
    },
    ...(output !== undefined && { finalOutput: output }),
  };
  const updatedAt = new Date(segmentInput.updatedAt ?? Date.now()).toISOString();
  return {
    updatedAt,
    rolloutId,
    ...(redactJson(segment as unknown as JsonValue) as unknown as Omit<Segment, 'updatedAt' | 'rolloutId'>),
  };
}

function checkSegment(segmentInput: SegmentInput): SegmentInput {
  const segment = expectFields(segmentInput, 'segment', {
    input: [(value) => typeof value === 'string' || Array.isArray(value), 'a text or a list of items'],
    generatedItems: 'array',
    interruptions: 'array',
    terminal: [isObject, 'an object'],
    finalOutput: 'anything',
    updatedAt: [(value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)), 'a time as ISO 8601'],
  });
  const { input, generatedItems } = segment;
  const isComplete = input !== undefined && generatedItems !== undefined && segment.terminal !== undefined;
  expect(isComplete, 'A segment must have input, generatedItems and terminal.');
  const terminal = expectFields(segment.terminal, 'segment.terminal', {
    state: [(value) => TERMINAL_STATES.includes(value as never), `one of ${TERMINAL_STATES.join(', ')}`],
    exceptionType: 'string',
    exceptionMessage: 'string',
    hasFinalOutput: 'boolean',
  });
  const isEnded = terminal.state !== undefined && terminal.hasFinalOutput !== undefined;
  expect(isEnded, '`segment.terminal` must have state and hasFinalOutput.');
  return { ...segment, terminal };
}
