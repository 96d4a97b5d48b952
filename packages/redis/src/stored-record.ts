import { encodeJson, type JsonObject, type MemoryRecord, type PreparedRecord, type Turn } from '@keepsake/core';
import { unpackId } from './pack-id.ts';

/*
 * The layout of a record in Redis: a binary head, which scripts read and write, then three lines of JSON.
 *
 *   what is in the head and in the text (1 byte), when it was created (8), its version (4), when it was updated (8), when it
 *   expires (8), the length of its id (2), its id
 *   index, thread, index of the turn, speaker: nothing if the index is 1 and there is no turn
 *   metadata: nothing if it has no fields
 *   content, without its quotes
 *
 * The bits of the first byte: 1 there is a version, 2 there is a time of update, 4 there is a time of expiry, 8 the content
 * is stored apart (see `records-lua.ts`), and 16, 32 and 64 the flags of the text (see `utteranceFlags`).
 *
 * Times are milliseconds since 1970. Defaults: version 1, updated when it was created, never expires.
 */

/** A record, and what only the store knows of it. */
export interface StoredRecord {
  readonly record: MemoryRecord;
  /** Its number in the order of creation. It keeps the number as long as it exists. */
  readonly document: number;
  /** Whether search finds it. */
  readonly index: boolean;
}

const VERSION = 1;
const UPDATED = 2;
const EXPIRES = 4;

type Told = [index?: 0 | 1, thread?: string, turn?: number, speaker?: string];

/** What a script writes behind the head. */
export function linesOf({ content, metadata, ...told }: PreparedRecord): string {
  const fields = Object.keys(metadata).length === 0 ? '' : encodeJson(metadata, 'metadata');
  return `${toldLine(told)}\n${fields}\n${JSON.stringify(content).slice(1, -1)}`;
}

function toldLine({ index, turn }: Pick<PreparedRecord, 'index' | 'turn'>): string {
  if (index && turn === undefined) return '';
  const told: Told = [index ? 1 : 0];
  if (turn !== undefined) told.push(turn.thread, turn.index);
  if (turn?.speaker !== undefined) told.push(turn.speaker);
  return JSON.stringify(told).slice(1, -1);
}

export function readRecord(document: number, stored: Buffer): StoredRecord {
  const { id, created, version, updated, expires, rest } = readHead(stored);
  const [line = '', metadata = '', content = ''] = stored.toString('utf8', rest).split('\n');
  const [index = 1, thread, at, speaker] = JSON.parse(`[${line}]`) as Told;
  const turn: Turn | undefined =
    thread === undefined || at === undefined
      ? undefined
      : { thread, index: at, ...(speaker === undefined ? {} : { speaker }) };
  const record: MemoryRecord = {
    id,
    content: JSON.parse(`"${content}"`) as string,
    metadata: metadata === '' ? {} : (JSON.parse(metadata) as JsonObject),
    version,
    createdAt: isoTime(created),
    updatedAt: isoTime(updated),
    ...(expires === undefined ? {} : { expiresAt: isoTime(expires) }),
    ...(turn === undefined ? {} : { turn }),
  };
  return { record, document, index: index === 1 };
}

/** Reads what scripts reply: the document and the bytes of each record. */
export function readRecords(list: readonly unknown[]): StoredRecord[] {
  return Array.from({ length: list.length / 2 }, (_, place) =>
    readRecord(list[2 * place] as number, list[2 * place + 1] as Buffer),
  );
}

function readHead(stored: Buffer) {
  const what = stored.readUInt8();
  const created = stored.readDoubleBE(1);
  let at = 9;
  const take = (flag: number, size: number) => {
    if ((what & flag) === 0) return undefined;
    at += size;
    return size === 4 ? stored.readUInt32BE(at - 4) : stored.readDoubleBE(at - 8);
  };
  const version = take(VERSION, 4) ?? 1;
  const updated = take(UPDATED, 8) ?? created;
  const expires = take(EXPIRES, 8);
  const rest = at + 2 + stored.readUInt16BE(at);
  return { id: unpackId(stored.subarray(at + 2, rest)), created, version, updated, expires, rest };
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
