import type { JsonValue } from '@keepsake/core';
import { estimateTokens } from '../generate/tokens.ts';
import type { Segment } from './segment.ts';

/** What stands in a transcript behind a place. */
export interface FreshSegments {
  readonly segments: readonly Segment[];
  /** Where the last whole line ends, in characters: what is behind it is still being written, or torn. */
  readonly end: number;
  /** How many lines could not be read, because a process was killed while it wrote them. */
  readonly damagedLines: number;
}

/** Reads the segments behind a place. Where the transcript is shorter than that, it is another one, and read from 0. */
export function readSegments(text: string, cursor: number): FreshSegments {
  const from = cursor <= text.length ? cursor : 0;
  const end = text.lastIndexOf('\n') + 1;
  const segments: Segment[] = [];
  let damagedLines = 0;
  for (const line of end > from ? text.slice(from, end).split('\n') : []) {
    if (line === '') continue;
    const segment = parse(line);
    if (segment === undefined) damagedLines++;
    else segments.push(segment);
  }
  return { segments, end: Math.max(from, end), damagedLines };
}

function parse(line: string): Segment | undefined {
  try {
    const segment: Partial<Segment> | null = JSON.parse(line);
    const { input, generatedItems, terminal, updatedAt } = segment ?? {};
    const isSegment =
      Array.isArray(input) && Array.isArray(generatedItems) && terminal && typeof updatedAt === 'string';
    return isSegment ? (segment as Segment) : undefined;
  } catch {
    return undefined;
  }
}

/** What a model reads of a conversation at most. */
const MAX_TOKENS = 150_000;
/** A record of more is left out by itself, so that it pushes out no others. */
const MAX_RECORD_TOKENS = MAX_TOKENS / 4;

/**
 * The records of segments as JSON, one a line: the run, what was said and called in it, how it ended. What is too long
 * is cut in the middle, by whole records, with a line that says what was left out.
 */
export function renderTranscript(segments: readonly Segment[], maxTokens = MAX_TOKENS): string {
  const maxRecord = Math.min(MAX_RECORD_TOKENS, maxTokens / 4);
  const records = segments.flatMap(recordsOf).map((record) => {
    const line = JSON.stringify(record);
    const tokens = estimateTokens(line);
    return tokens > maxRecord ? leftOut(1, tokens) : { line, tokens };
  });
  if (tokensOf(records) <= maxTokens) return records.map(({ line }) => line).join('\n');
  const head = records.slice(0, fitting(records, maxTokens / 2));
  const tail = records.slice(head.length).reverse();
  const end = tail.slice(0, fitting(tail, maxTokens / 2)).reverse();
  const middle = records.slice(head.length, records.length - end.length);
  return [...head, leftOut(middle.length, tokensOf(middle)), ...end].map(({ line }) => line).join('\n');
}

interface Line {
  readonly line: string;
  readonly tokens: number;
}

function tokensOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** How many of the first lines have at most so many tokens together. */
function fitting(lines: readonly Line[], maxTokens: number): number {
  let tokens = 0;
  const tooMany = lines.findIndex((line) => {
    tokens += line.tokens;
    return tokens > maxTokens;
  });
  return tooMany === -1 ? lines.length : tooMany;
}

function leftOut(records: number, tokens: number): Line {
  const line = JSON.stringify({ leftOut: { records, tokens, why: 'too long to be shown' } });
  return { line, tokens: estimateTokens(line) };
}

function recordsOf({
  updatedAt,
  input,
  generatedItems,
  interruptions = [],
  terminal,
  finalOutput,
}: Segment): JsonValue[] {
  const said = JSON.stringify(generatedItems);
  const isSaid = finalOutput === undefined || said.includes(JSON.stringify(finalOutput));
  const end = { end: terminal, ...(!isSaid && { finalOutput: finalOutput as JsonValue }) };
  return [
    { run: updatedAt },
    ...input.map((item): JsonValue => ({ input: item })),
    ...generatedItems.map((item): JsonValue => ({ did: item })),
    ...interruptions.map((item): JsonValue => ({ waitsFor: item })),
    JSON.parse(JSON.stringify(end)),
  ];
}
