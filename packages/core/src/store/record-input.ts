import { isObject } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';
import { expect, expectWhole } from '../common/expect.ts';
import { areLongerThan, isLongerThan, LIMITS, MAX_TTL_MS } from '../common/limits.ts';
import { guarded, readList } from '../common/read-values.ts';
import { checkId } from '../common/text.ts';
import { checkTime } from '../common/time.ts';
import { cloneJson, type JsonObject, type JsonObjectInput } from '../json/json.ts';
import type { Turn } from './memory-store.ts';
import { copySource, type RecordSource } from './record-source.ts';
import type { RecordInput } from './record-store.ts';

/** A checked copy of a {@link RecordInput}, with defaults filled in. */
export interface PreparedRecord {
  readonly id: string | undefined;
  readonly content: string;
  readonly metadata: JsonObject;
  /** ISO 8601 with milliseconds, UTC. */
  readonly createdAt: string | undefined;
  readonly ttlMs: number | undefined;
  readonly index: boolean;
  readonly turn: Turn | undefined;
  readonly source: RecordSource | undefined;
  readonly supersedes?: string | undefined;
  /** ISO 8601 with milliseconds, UTC, as all times here. */
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | undefined;
  readonly supersededBy?: string | undefined;
}

/**
 * Checks and copies a record to store.
 *
 * @param what - Names the input in error messages, e.g. `records[2]`.
 * @throws MemoryError `INVALID_ARGUMENT` for an invalid record, `TOO_LARGE` above a limit.
 */
export function prepareRecord(input: RecordInput, what = 'record'): PreparedRecord {
  return guarded(what, () => {
    expect(isObject(input), `${what} must be an object, such as { content: 'Likes tea' }.`);
    const { id, ttlMs, index = true } = input;
    if (id !== undefined) checkId(id, `${what}.id`);
    expect(typeof index === 'boolean', `${what}.index must be true or false.`);
    if (ttlMs !== undefined) expectWhole(ttlMs, `${what}.ttlMs`, 1, MAX_TTL_MS);
    return {
      id,
      content: checkContent(input.content, `${what}.content`),
      metadata: copyMetadata(input.metadata, `${what}.metadata`),
      createdAt: checkTime(input.createdAt, `${what}.createdAt`),
      ttlMs,
      index,
      turn: copyTurn(input.turn, `${what}.turn`),
      source: copySource(input.source, `${what}.source`),
      ...checkHistory(id, input, what),
    };
  });
}

function checkHistory(
  id: string | undefined,
  { supersedes, supersededBy, validFrom, validUntil }: RecordInput,
  what: string,
): Pick<PreparedRecord, 'supersedes' | 'supersededBy' | 'validFrom' | 'validUntil'> {
  if ([supersedes, supersededBy, validFrom, validUntil].every((value) => value === undefined)) return {};
  for (const [name, other] of Object.entries({ supersedes, supersededBy })) {
    if (other === undefined) continue;
    checkId(other, `${what}.${name}`);
    expect(other !== id, `${what}.${name} must be the id of another record.`);
  }
  expect(supersededBy === undefined || validUntil !== undefined, `${what}.supersededBy needs validUntil.`);
  const from = checkTime(validFrom, `${what}.validFrom`);
  const until = checkTime(validUntil, `${what}.validUntil`);
  if (until !== undefined) {
    const isPast = Date.parse(until) <= Date.now();
    expect(isPast, `${what}.validUntil must not be in the future. Use ttlMs to end a record later.`);
    expect(from === undefined || from <= until, `${what}.validUntil must not be before validFrom.`);
  }
  return { supersedes, supersededBy, validFrom: from, validUntil: until };
}

/** Checks a batch; error messages contain the index. See {@link prepareRecord}. */
export function prepareRecords(inputs: readonly RecordInput[]): PreparedRecord[] {
  const list = readList(inputs, 'records');
  const advice = 'Put them in several batches.';
  if (list.length > LIMITS.batchRecords) {
    throw new MemoryError('TOO_LARGE', `A batch can have 10,000 records, and this one has ${list.length}. ${advice}`);
  }
  const records = list.map((input, index) => prepareRecord(input, `records[${index}]`));
  if (
    areLongerThan(
      records.map(({ content }) => content),
      LIMITS.batchBytes,
    )
  ) {
    throw new MemoryError(
      'TOO_LARGE',
      `The contents of a batch can have 128 MiB together, and these have more. ${advice}`,
    );
  }
  return records;
}

/** Throws unless `content` is text that is not blank and not over 1 MiB. */
export function checkContent(content: unknown, what: string): string {
  expect(typeof content === 'string' && content.trim() !== '', `${what} must be text that is not blank.`);
  if (isLongerThan(content, LIMITS.contentBytes)) {
    throw new MemoryError('TOO_LARGE', `${what} is over 1 MiB. Split it, or keep a reference to it.`);
  }
  return content;
}

/** A copy of metadata, or `{}`. Throws unless it is a JSON object of at most 64 KiB. */
export function copyMetadata(metadata: JsonObjectInput | undefined, what: string): JsonObject {
  if (metadata === undefined) return {};
  const copy = cloneJson(metadata, what);
  expect(isObject(copy), `${what} must be a JSON object.`);
  if (isLongerThan(JSON.stringify(copy), LIMITS.metadataBytes)) {
    throw new MemoryError('TOO_LARGE', `${what} is over 64 KiB as JSON. Move long values to the content.`);
  }
  return copy as JsonObject;
}

function copyTurn(turn: Turn | undefined, what: string): Turn | undefined {
  if (turn === undefined) return undefined;
  expect(isObject(turn), `${what} must be an object, such as { thread: 'standup', index: 0 }.`);
  const { thread, index, speaker } = turn;
  checkId(thread, `${what}.thread`);
  expectWhole(index, `${what}.index`, 0);
  if (speaker === undefined) return { thread, index };
  checkId(speaker, `${what}.speaker`);
  return { thread, index, speaker };
}
