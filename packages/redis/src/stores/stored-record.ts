import type { JsonObject, MemoryRecord, Turn } from '@keepsake/core';
import { encodeJson, type IdentifiedRecord, type StoredSource } from '@keepsake/core/adapter';
import type { ScriptArgument } from '../client/redis-client.ts';
import { HEADER_FLAG, SOURCE_FIELDS } from '../lua/records/stored-records.ts';
import { unpackId } from './pack-id.ts';

/** A record, and what only the store knows of it. */
export interface StoredRecord {
  readonly record: MemoryRecord;
  /** Its number in the order of creation. It keeps the number as long as it exists. */
  readonly document: number;
}

/** The record that is stored under an id, if any. */
export type Known = StoredRecord | undefined;

/** What scripts index of a record. */
export interface IndexedParts {
  /** See `describeDocument`. */
  readonly document: readonly ScriptArgument[];
  readonly vector: Buffer | '';
}

type Absent = null | undefined;
type FirstLine = [
  index?: 0 | 1,
  thread?: string | Absent,
  turn?: number | Absent,
  speaker?: string | Absent,
  ...source: (string | Absent)[],
];

/** The lines of a record, to which scripts add its header. See `lua/records/stored-records.ts`. */
export function linesOf({ content, metadata, ...rest }: Omit<IdentifiedRecord, 'id'>): string {
  const fields = Object.keys(metadata).length === 0 ? '' : encodeJson(metadata, 'metadata');
  return `${firstLine(rest)}\n${fields}\n${JSON.stringify(content).slice(1, -1)}`;
}

function firstLine({ index, turn, source }: Pick<IdentifiedRecord, 'index' | 'turn' | 'source'>): string {
  const sources = SOURCE_FIELDS.map((field) => source?.[field]);
  const line: FirstLine = [index ? 1 : 0, turn?.thread, turn?.index, turn?.speaker, ...sources];
  const count = line.findLastIndex((value) => value !== undefined) + 1;
  return index && count === 1 ? '' : JSON.stringify(line.slice(0, count)).slice(1, -1);
}

export function readRecord(document: number, stored: Buffer): StoredRecord {
  const { id, created, version, updated, expires, linesAt } = readHeader(stored);
  const [first = '', metadata = '', content = ''] = stored.toString('utf8', linesAt).split('\n');
  const [index = 1, thread, turnIndex, speaker, ...sources] = JSON.parse(`[${first}]`) as FirstLine;
  const turn: Turn | undefined =
    thread == null || turnIndex == null
      ? undefined
      : { thread, index: turnIndex, ...(speaker == null ? {} : { speaker }) };
  const source = readSource(sources);
  const record: MemoryRecord = {
    id,
    content: JSON.parse(`"${content}"`) as string,
    metadata: metadata === '' ? {} : (JSON.parse(metadata) as JsonObject),
    version,
    createdAt: isoTime(created),
    updatedAt: isoTime(updated),
    ...(expires === undefined ? {} : { expiresAt: isoTime(expires) }),
    ...(turn === undefined ? {} : { turn }),
    ...(source === undefined ? {} : { source }),
    index: index === 1,
  };
  return { record, document };
}

/** Identifies one version of a record among all that its id ever has. */
export function guardOf({ record, document }: StoredRecord): string {
  return `${record.version} ${document}`;
}

/** Reads a document and its record, or null for none. */
export function readKnown(document: unknown, stored: unknown): Known {
  return stored === null ? undefined : readRecord(document as number, stored as Buffer);
}

/** Reads the documents and records that scripts reply with. */
export function readRecords(list: readonly unknown[]): StoredRecord[] {
  return Array.from({ length: list.length / 2 }, (_, n) =>
    readRecord(list[2 * n] as number, list[2 * n + 1] as Buffer),
  );
}

function readHeader(stored: Buffer) {
  const flags = stored.readUInt8();
  const created = stored.readDoubleBE(1);
  let at = 9;
  const take = (flag: number, size: number) => {
    if ((flags & flag) === 0) return undefined;
    at += size;
    return size === 4 ? stored.readUInt32BE(at - 4) : stored.readDoubleBE(at - 8);
  };
  const version = take(HEADER_FLAG.version, 4) ?? 1;
  const updated = take(HEADER_FLAG.updated, 8) ?? created;
  const expires = take(HEADER_FLAG.expires, 8);
  const linesAt = at + 2 + stored.readUInt16BE(at);
  return { id: unpackId(stored.subarray(at + 2, linesAt)), created, version, updated, expires, linesAt };
}

function readSource(values: readonly (string | Absent)[]): StoredSource | undefined {
  const given = SOURCE_FIELDS.flatMap((field, n) => (values[n] == null ? [] : [[field, values[n]]]));
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
