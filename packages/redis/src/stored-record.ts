import { encodeJson, type JsonObject, type MemoryRecord, type PreparedRecord, type Turn } from '@keepsake/core';

/*
 * How a record lies in Redis: three lines of JSON.
 *
 *   [document, created, version, updated, expires, index, thread, index of the turn, speaker]
 *   "content"
 *   {metadata}
 *
 * Times are milliseconds since 1970; `updated` and `expires` are 0 for `created` and never. What stands at the end and is
 * as it mostly is may be missing: a version of 1, times of 0, an index that is 1, a turn, metadata without a field. Scripts
 * read and write the first line alone. A record keeps its document, its number in the order of creation, as long as it is there.
 */

/** A record, and what the store alone knows of it. */
export interface StoredRecord {
  readonly record: MemoryRecord;
  /** Its number in the order of creation. */
  readonly document: number;
  /** Whether search finds it. */
  readonly index: boolean;
}

type Head = [
  document: number,
  created: number,
  version?: number,
  updated?: number,
  expires?: number,
  index?: 0 | 1,
  thread?: string,
  turn?: number,
  speaker?: string,
];

/** What a script puts at the end of the first line: nothing, or what begins with a comma. */
export function headEnd({ index, turn }: Pick<PreparedRecord, 'index' | 'turn'>): string {
  if (index && turn === undefined) return '';
  const fields: (string | number)[] = [index ? 1 : 0];
  if (turn !== undefined) fields.push(turn.thread, turn.index);
  if (turn?.speaker !== undefined) fields.push(turn.speaker);
  return `,${JSON.stringify(fields).slice(1, -1)}`;
}

/** The lines below the first. */
export function bodyOf({ content, metadata }: Pick<PreparedRecord, 'content' | 'metadata'>): string {
  const text = JSON.stringify(content);
  return Object.keys(metadata).length === 0 ? text : `${text}\n${encodeJson(metadata, 'metadata')}`;
}

export function readRecord(id: string, stored: string): StoredRecord {
  const [head = '', content = '', metadata = '{}'] = stored.split('\n');
  const fields = JSON.parse(head) as Head;
  const [document, created, version = 1, updated = 0, expires = 0, index = 1, thread, at, speaker] = fields;
  const turn: Turn | undefined =
    thread === undefined || at === undefined
      ? undefined
      : { thread, index: at, ...(speaker === undefined ? {} : { speaker }) };
  const record: MemoryRecord = {
    id,
    content: JSON.parse(content) as string,
    metadata: JSON.parse(metadata) as JsonObject,
    version,
    createdAt: isoTime(created),
    updatedAt: isoTime(updated || created),
    ...(expires === 0 ? {} : { expiresAt: isoTime(expires) }),
    ...(turn === undefined ? {} : { turn }),
  };
  return { record, document, index: index === 1 };
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
