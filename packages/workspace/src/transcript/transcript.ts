import type { JsonValue } from '@keepsake/core';
import { estimateTokens, isObject } from '@keepsake/internal';
import type { Segment } from './segment.ts';

/** The content of a transcript after an offset. */
export interface FreshSegments {
  readonly segments: readonly Segment[];
  /** The end of the last complete line, in characters. A line after it is being written, or torn. */
  readonly end: number;
  /** The number of unreadable lines, which killed processes left behind. */
  readonly damagedLines: number;
}

/** Reads the segments after an offset. A shorter transcript is a new one and is read from 0. */
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

/**
 * The records of segments as JSON lines: the run, its messages and calls, and how it ended. If they are too long, shortens
 * long records to their beginning and end, then leaves out whole records in the middle and adds a line that says so.
 */
export function renderTranscript(segments: readonly Segment[], maxTokens: number): string {
  const whole = segments.flatMap(recordsOf).map((record) => ({ record, ...toLine(record) }));
  if (tokensOf(whole) <= maxTokens) return whole.map(({ line }) => line).join('\n');
  // So that one record does not displace the others.
  const maxRecord = maxTokens / 4;
  const records = whole.map((each) => (each.tokens > maxRecord ? shortened(each.record, maxRecord) : each));
  if (tokensOf(records) <= maxTokens) return records.map(({ line }) => line).join('\n');
  const head = records.slice(0, fitting(records, maxTokens / 2));
  const tail = records.slice(head.length).reverse();
  const end = tail.slice(0, fitting(tail, maxTokens / 2)).reverse();
  const middle = records.slice(head.length, records.length - end.length);
  return [...head, leftOut(middle.length, tokensOf(middle)), ...end].map(({ line }) => line).join('\n');
}

function toLine(record: JsonValue): Line {
  const line = JSON.stringify(record);
  return { line, tokens: estimateTokens(line) };
}

/** A record with the beginning and end of each long text. */
function shortened(record: JsonValue, maxTokens: number): Line {
  for (let characters = Math.floor(maxTokens * 3); characters >= 16; characters = Math.floor(characters / 1.5)) {
    const line = toLine(withShortTexts(record, characters));
    if (line.tokens <= maxTokens) return line;
  }
  // Many small values. A third of the room, because the quotes in it are escaped.
  const { line, tokens } = toLine(record);
  return toLine({ record: shortText(line, Math.floor(maxTokens)), leftOut: { tokens, why: TOO_LONG } });
}

function withShortTexts(value: JsonValue, maxCharacters: number): JsonValue {
  if (typeof value === 'string') return shortText(value, maxCharacters);
  if (Array.isArray(value)) return value.map((part) => withShortTexts(part, maxCharacters));
  if (!isObject(value)) return value;
  const fields = Object.entries(value as Record<string, JsonValue>);
  return Object.fromEntries(fields.map(([name, field]) => [name, withShortTexts(field, maxCharacters)]));
}

function shortText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  const mark = ` … (${text.length - 2 * half} characters left out) … `;
  return text.slice(0, half).toWellFormed() + mark + text.slice(-half).toWellFormed();
}

const TOO_LONG = 'too long to be shown';

interface Line {
  readonly line: string;
  readonly tokens: number;
}

function tokensOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** How many of the first lines fit into the tokens. */
function fitting(lines: readonly Line[], maxTokens: number): number {
  let tokens = 0;
  const tooMany = lines.findIndex((line) => {
    tokens += line.tokens;
    return tokens > maxTokens;
  });
  return tooMany === -1 ? lines.length : tooMany;
}

function leftOut(records: number, tokens: number): Line {
  return toLine({ leftOut: { records, tokens, why: TOO_LONG } });
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
