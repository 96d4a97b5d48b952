import type { JsonObject, MemoryRecord, Turn } from '@keepsake/core';
import { encodeJson, type StoredSource } from '@keepsake/core/adapter';
import type { LoggedRecord } from '@keepsake/search';

/*
 * A record as Redis has it: what scripts read, then its body.
 *
 *   flags (1 byte); the number of its last change (8); when it was updated (8); with FLAG.expires when it expires (8); with
 *   FLAG.replaced the number of the change that created it (8); with FLAG.created when it was created (8)
 *
 *   the body, in lines: its version in base 36; as JSON without brackets 1 if it is indexed, or 0, then thread, index and
 *   speaker of its turn and its source, without what is missing at the end, and nothing at all for a 1 alone; its metadata as
 *   JSON, nothing if it has no fields; its content as JSON without quotes
 *
 * Numbers are doubles, times in milliseconds since 1970. Without FLAG.replaced, the last change created the record; without
 * FLAG.created, it was created when it was updated.
 */

export const FLAG = { expires: 1, replaced: 2, created: 4 } as const;

/** The fields of a source in their order. */
const SOURCE_FIELDS = [
  ...(['conversation', 'run', 'speaker', 'kind'] as const),
  ...(['supersedes', 'supersededBy', 'validFrom', 'validUntil'] as const),
] satisfies (keyof StoredSource)[];

type Absent = null | undefined;
type FirstLine = [
  index?: 0 | 1,
  thread?: string | Absent,
  turn?: number | Absent,
  speaker?: string | Absent,
  ...source: (string | Absent)[],
];

export function bodyOf({ content, metadata, version, ...rest }: MemoryRecord): string {
  const fields = Object.keys(metadata).length === 0 ? '' : encodeJson(metadata, 'metadata');
  const lines = [version.toString(36), firstLine(rest), fields, JSON.stringify(content).slice(1, -1)];
  return lines.join('\n');
}

function firstLine({ index, turn, source }: Pick<MemoryRecord, 'index' | 'turn' | 'source'>): string {
  const stored: StoredSource | undefined = source;
  const sources = SOURCE_FIELDS.map((field) => stored?.[field]);
  const line: FirstLine = [index ? 1 : 0, turn?.thread, turn?.index, turn?.speaker, ...sources];
  const count = line.findLastIndex((value) => value !== undefined) + 1;
  return index && count === 1 ? '' : JSON.stringify(line.slice(0, count)).slice(1, -1);
}

export function readValue(id: string, stored: Buffer): LoggedRecord {
  const flags = stored.readUInt8();
  const change = stored.readDoubleBE(1);
  const updated = stored.readDoubleBE(9);
  let at = 17;
  const take = (flag: number) => {
    if ((flags & flag) === 0) return undefined;
    at += 8;
    return stored.readDoubleBE(at - 8);
  };
  const expires = take(FLAG.expires);
  const created = take(FLAG.replaced) ?? change;
  const createdAt = take(FLAG.created) ?? updated;
  const [version = '', first = '', metadata = '', content = ''] = stored.toString('utf8', at).split('\n');
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
    version: Number.parseInt(version, 36),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updated),
    ...(expires === undefined ? {} : { expiresAt: isoTime(expires) }),
    ...(turn === undefined ? {} : { turn }),
    ...(source === undefined ? {} : { source }),
    index: index === 1,
  };
  return { record, change, created, writer: '' };
}

function readSource(values: readonly (string | Absent)[]): StoredSource | undefined {
  const fields = SOURCE_FIELDS.flatMap((field, n) => (values[n] == null ? [] : [[field, values[n]]]));
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
