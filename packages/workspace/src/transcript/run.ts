import { MemoryError } from '@keepsake/core';
import { anything, aSwitch, checkFields, isRecord, text } from '../check-fields.ts';
import type { Paths } from '../files/layout.ts';
import type { Workspace } from '../files/workspace.ts';
import { redactJson } from './redact.ts';
import { encodeRolloutId } from './rollout-id.ts';
import { sanitizeItems, sanitizeValue } from './sanitize.ts';
import { type Segment, type SegmentInput, TERMINAL_STATES } from './segment.ts';

/** One run of a conversation, or several: what it does is kept until the memory is generated. */
export interface Run {
  /** What names the conversation. */
  readonly rolloutId: string;
  /**
   * Keeps what the run has added. It is on the disk, or wherever the workspace is, when the promise is fulfilled. Without
   * `generate` nothing is kept.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for a segment that is none; nothing was written.
   */
  append(segment: SegmentInput): Promise<void>;
}

/** Writes a segment at the end of its transcript. */
export async function appendSegment(
  workspace: Workspace,
  paths: Paths,
  rolloutId: string,
  input: SegmentInput,
): Promise<void> {
  const segment = await toSegment(rolloutId, input);
  await workspace.append(paths.session(encodeRolloutId(rolloutId)), JSON.stringify(segment));
}

async function toSegment(rolloutId: string, given: SegmentInput): Promise<Segment> {
  checkSegment(given);
  const { input, generatedItems, interruptions, terminal, finalOutput } = given;
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
  const updatedAt = new Date(given.updatedAt ?? Date.now()).toISOString();
  return { updatedAt, rolloutId, ...((await redactJson(segment)) as Omit<Segment, 'updatedAt' | 'rolloutId'>) };
}

function checkSegment(segment: SegmentInput): void {
  checkFields(segment, 'the segment', {
    input: [(value) => typeof value === 'string' || Array.isArray(value), 'a text or a list of items'],
    generatedItems: [Array.isArray, 'a list of items'],
    interruptions: [Array.isArray, 'a list of items'],
    terminal: [isRecord, 'an object'],
    finalOutput: anything,
    updatedAt: [(value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)), 'a time as ISO 8601'],
  });
  const { input, generatedItems, terminal } = segment;
  if (input === undefined || generatedItems === undefined || terminal === undefined) {
    throw new MemoryError('INVALID_ARGUMENT', 'A segment is to have input, generatedItems and terminal.');
  }
  checkFields(terminal, 'terminal', {
    state: [(value) => TERMINAL_STATES.includes(value as never), `one of ${TERMINAL_STATES.join(', ')}`],
    exceptionType: text,
    exceptionMessage: text,
    hasFinalOutput: aSwitch,
  });
  if (terminal.state === undefined || terminal.hasFinalOutput === undefined) {
    throw new MemoryError('INVALID_ARGUMENT', 'terminal is to have state and hasFinalOutput.');
  }
}
