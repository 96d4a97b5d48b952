import { MemoryError } from './errors.ts';
import { expect, expectWhole } from './expect.ts';
import { isObject } from './is-object.ts';
import { encodeJson, isJsonObject, type JsonObject } from './json.ts';
import { isLongerThan, LIMITS } from './limits.ts';
import type { Turn } from './memory-store.ts';
import type { RecordInput } from './record-store.ts';
import { checkId } from './text.ts';
import { isoTime } from './time.ts';

/** A {@link RecordInput} that was checked and copied, with its defaults filled in. */
export interface PreparedRecord {
  readonly id: string | undefined;
  readonly content: string;
  readonly metadata: JsonObject;
  /** ISO 8601 with milliseconds, UTC. */
  readonly createdAt: string | undefined;
  readonly ttlMs: number | undefined;
  readonly index: boolean;
  readonly turn: Turn | undefined;
}

/**
 * Checks and copies what a caller wants to store.
 *
 * @param what - Names the input in error messages, e.g. `records[2]`.
 * @throws MemoryError `INVALID_ARGUMENT` for what can't be stored, `TOO_LARGE` for what is over a limit.
 */
export function prepareRecord(input: RecordInput, what = 'record'): PreparedRecord {
  expect(isObject(input), `${what} is to be an object, such as { content: 'Likes tea' }.`);
  const { id, ttlMs, index = true } = input;
  if (id !== undefined) checkId(id, `${what}.id`);
  expect(typeof index === 'boolean', `${what}.index is to be true or false.`);
  if (ttlMs !== undefined) expectWhole(ttlMs, `${what}.ttlMs`, 1, MAX_TTL_MS);
  return {
    id,
    content: checkContent(input.content, `${what}.content`),
    metadata: copyMetadata(input.metadata, `${what}.metadata`),
    createdAt: checkTime(input.createdAt, `${what}.createdAt`),
    ttlMs,
    index,
    turn: copyTurn(input.turn, `${what}.turn`),
  };
}

/** Checks many inputs, naming each by its place; see {@link prepareRecord}. */
export function prepareRecords(inputs: readonly RecordInput[]): PreparedRecord[] {
  expect(Array.isArray(inputs), 'records is to be an array.');
  return Array.from(inputs as readonly RecordInput[], (input, index) => prepareRecord(input, `records[${index}]`));
}

/** 1,000 years. */
const MAX_TTL_MS = 1_000 * 365 * 24 * 60 * 60 * 1_000;

/** Throws unless `content` is text that is not blank and not over 1 MiB. */
export function checkContent(content: unknown, what: string): string {
  expect(typeof content === 'string' && content.trim() !== '', `${what} is to be text that is not blank.`);
  if (isLongerThan(content, LIMITS.contentBytes)) {
    throw new MemoryError('TOO_LARGE', `${what} is over 1 MiB. Split it, or keep a reference to it.`);
  }
  return content;
}

/** A copy of metadata, `{}` where there is none; throws for what is no JSON object or over 64 KiB. */
export function copyMetadata(metadata: JsonObject | undefined, what: string): JsonObject {
  if (metadata === undefined) return {};
  expect(isJsonObject(metadata), `${what} is to be a JSON object.`);
  const json = encodeJson(metadata, what);
  if (isLongerThan(json, LIMITS.metadataBytes)) {
    throw new MemoryError('TOO_LARGE', `${what} is over 64 KiB as JSON. Keep what is long in the content.`);
  }
  return JSON.parse(json) as JsonObject;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function checkTime(time: unknown, what: string): string | undefined {
  if (time === undefined) return undefined;
  const iso = isoTime(time, ISO_TIME);
  expect(iso, `${what} is to be ISO 8601 with a zone, such as '2026-11-21T08:00:00Z'.`);
  return iso;
}

function copyTurn(turn: Turn | undefined, what: string): Turn | undefined {
  if (turn === undefined) return undefined;
  expect(isObject(turn), `${what} is to be an object, such as { thread: 'standup', index: 0 }.`);
  const { thread, index, speaker } = turn;
  checkId(thread, `${what}.thread`);
  expectWhole(index, `${what}.index`, 0);
  if (speaker === undefined) return { thread, index };
  checkId(speaker, `${what}.speaker`);
  return { thread, index, speaker };
}
