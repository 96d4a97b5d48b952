import type { MemoryRecord, PreparedRecord } from '@keepsake/core';
import { hostedTerms, type Language } from '@keepsake/search';
import type { Dialect } from './database.ts';
import { writeFields } from './filter-fields.ts';
import { isoTime, liveIn, nowOf } from './record-rows.ts';
import { Values } from './statement.ts';
import { fromStorable, toStorable } from './storable-text.ts';
import type { Place } from './tokens.ts';
import { writeWords } from './words.ts';

export type NamedRecord = PreparedRecord & { readonly id: string };

/** What a put returns for each record. */
export interface PutRow {
  readonly seq: unknown;
  readonly id: string;
  readonly version: unknown;
  readonly created_ms: unknown;
  readonly updated_ms: unknown;
}

/** The fields of a record that are passed as JSON, and the type of each in PostgreSQL. */
const FIELDS = {
  place: 'integer',
  name: 'text',
  content: 'text',
  metadata: 'text',
  fields: 'text',
  times: 'integer',
  created: 'bigint',
  ttl: 'bigint',
  thread: 'text',
  turn: 'bigint',
  speaker: 'text',
  words: 'text',
  count: 'integer',
  language: 'text',
  flags: 'smallint',
} as const;

/** The columns that a put replaces, each with its value from `i`, the record that is passed. */
function replaced(dialect: Dialect): readonly (readonly [column: string, value: string])[] {
  const cast = (value: string, type: string) => (dialect === 'postgresql' ? `CAST(${value} AS ${type})` : value);
  return [
    ['content', 'i.content'],
    ['metadata', 'i.metadata'],
    ['fields', cast('i.fields', 'jsonb')],
    ['updated_ms', nowOf(dialect)],
    ['expires_ms', `${nowOf(dialect)} + i.ttl`],
    ['thread', 'i.thread'],
    ['turn_index', 'i.turn'],
    ['speaker', 'i.speaker'],
    ['words', cast('i.words', 'tsvector')],
    ['word_count', 'i.count'],
    ['language', 'i.language'],
    ['flags', 'i.flags'],
  ];
}

/** Puts records, each id once. With `absentOnly`, skips records whose id is taken: then fewer rows come back. */
export function insertStatement(
  dialect: Dialect,
  place: Place,
  inputs: readonly NamedRecord[],
  language: Language | undefined,
  absentOnly: boolean,
): { readonly sql: string; readonly values: Values } {
  const values = new Values(dialect);
  const [path, key] = [values.text(place.path), values.text(place.key)];
  const from = handedOver(dialect, describe(dialect, place, inputs, language), values);
  const columns = replaced(dialect);
  const names = columns.map(([column]) => `"${column}"`);
  const now = nowOf(dialect);
  const gone = `NOT ${liveIn(dialect, 'r')}`;
  // SQLite has one writer at a time.
  const newSeq = dialect === 'postgresql' ? 'excluded."seq"' : '(SELECT max("seq") + 1 FROM "keepsake_records")';
  const sql = `INSERT INTO "keepsake_records" AS r
    ("namespace", "namespace_key", "id", "version", "created_ms", ${names.join(', ')})
  SELECT ${path}, ${key}, i.name, i.times, COALESCE(i.created, ${now}), ${columns.map(([, value]) => value).join(', ')}
  FROM ${from} WHERE 1 = 1 ORDER BY i.place
  ON CONFLICT ("namespace_key", "id") DO UPDATE SET
    "seq" = CASE WHEN ${gone} THEN ${newSeq} ELSE r."seq" END,
    "version" = CASE WHEN ${gone} THEN excluded."version" ELSE r."version" + excluded."version" END,
    "created_ms" = CASE WHEN ${gone} THEN excluded."created_ms" ELSE r."created_ms" END,
    ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
  ${absentOnly ? `WHERE ${gone}` : ''}
  RETURNING "seq", "id", "version", "created_ms", "updated_ms"`;
  return { sql, values };
}

/** Replaces a record if it has the given version. */
export function updateStatement(
  dialect: Dialect,
  place: Place,
  input: NamedRecord,
  language: Language | undefined,
  version: number,
): { readonly sql: string; readonly values: Values } {
  const values = new Values(dialect);
  const from = handedOver(dialect, describe(dialect, place, [input], language), values);
  const assignments = replaced(dialect).map(([column, value]) => `"${column}" = ${value}`);
  const sql = `UPDATE "keepsake_records" AS r SET "version" = r."version" + 1, ${assignments.join(', ')}
  FROM ${from}
  WHERE r."namespace_key" = ${values.text(place.key)} AND r."id" = i.name AND r."version" = ${values.whole(version)}
    AND ${liveIn(dialect, 'r')}
  RETURNING "seq", "id", "version", "created_ms", "updated_ms"`;
  return { sql, values };
}

/** The table `i` of the records that are passed: one value for any number of records. */
function handedOver(dialect: Dialect, records: readonly object[], values: Values): string {
  const json = values.text(JSON.stringify(records));
  const fields = Object.entries(FIELDS);
  if (dialect === 'postgresql') {
    return `json_to_recordset(CAST(${json} AS json)) AS i(${fields.map(([name, type]) => `${name} ${type}`).join(', ')})`;
  }
  return `(SELECT ${fields.map(([name]) => `"value" ->> '${name}' AS ${name}`).join(', ')} FROM json_each(${json})) AS i`;
}

/** Of an id that comes twice, only the last record is passed, with how many times it came. */
function describe(
  dialect: Dialect,
  place: Place,
  inputs: readonly NamedRecord[],
  language: Language | undefined,
): object[] {
  const latest = new Map<string, Record<keyof typeof FIELDS, unknown>>();
  for (const [at, input] of inputs.entries()) {
    const former = latest.get(input.id);
    const { createdAt } = input;
    latest.set(input.id, {
      place: former?.place ?? at,
      name: toStorable(input.id),
      content: toStorable(input.content),
      metadata: JSON.stringify(input.metadata),
      fields: writeFields(input.metadata),
      times: Number(former?.times ?? 0) + 1,
      created: former ? former.created : createdAt === undefined ? null : Date.parse(createdAt),
      ttl: input.ttlMs ?? null,
      thread: storable(input.turn?.thread),
      turn: input.turn?.index ?? null,
      speaker: storable(input.turn?.speaker),
      ...describeText(dialect, place, input, language),
    });
  }
  return [...latest.values()];
}

function storable(text: string | undefined): string | null {
  return text === undefined ? null : toStorable(text);
}

function describeText(dialect: Dialect, place: Place, { content, index }: NamedRecord, language: Language | undefined) {
  if (!index) return { words: null, count: null, language: null, flags: 0 };
  const found = hostedTerms(content, language);
  return {
    words: writeWords(dialect, place, found.terms),
    count: found.length,
    language: found.language,
    flags: found.flags,
  };
}

/** The records as they were put, one after the other. */
export function putRecords(inputs: readonly NamedRecord[], rows: readonly PutRow[]): MemoryRecord[] {
  const byId = new Map(rows.map((row) => [fromStorable(row.id), row]));
  const left = new Map<string, number>();
  for (const { id } of inputs) left.set(id, (left.get(id) ?? 0) + 1);
  return inputs.map(({ id, content, metadata, ttlMs, turn }) => {
    const row = byId.get(id) as PutRow;
    const later = (left.get(id) as number) - 1;
    left.set(id, later);
    return {
      id,
      content,
      metadata,
      version: Number(row.version) - later,
      createdAt: isoTime(row.created_ms),
      updatedAt: isoTime(row.updated_ms),
      ...(ttlMs === undefined ? {} : { expiresAt: isoTime(Number(row.updated_ms) + ttlMs) }),
      ...(turn === undefined ? {} : { turn }),
    };
  });
}
