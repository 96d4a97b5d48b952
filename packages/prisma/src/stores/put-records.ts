import type { MemoryRecord } from '@keepsake/core';
import { type IdentifiedRecord, revisedSource } from '@keepsake/core/adapter';
import type { Language } from '@keepsake/search';
import { remoteTerms } from '@keepsake/search/remote';
import { isoTime, liveIn, nowOf } from '../database/clock.ts';
import type { Dialect } from '../database/dialect.ts';
import { rowsOf, tableOf, Values, type Written } from '../database/statement.ts';
import { fromStorable, toStorable } from '../database/storable-text.ts';
import { readScalar, sourceKey, writeFields } from '../search/filter-fields.ts';
import { writeWords } from '../search/query-words.ts';
import type { NamespaceKey } from './namespace-key.ts';

/** What the statement returns for each record. */
export interface PutRow {
  readonly seq: unknown;
  readonly id: string;
  readonly version: unknown;
  readonly created_ms: unknown;
  readonly updated_ms: unknown;
  readonly expires_ms: unknown;
  /** What the record supersedes and since when it holds; missing if the statement did not ask the row. */
  readonly supersedes?: string | null;
  readonly valid_from?: string | null;
}

/** The fields of a record that are passed as JSON, with their types in PostgreSQL. */
const FIELDS = {
  position: 'integer',
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
  expected: 'integer',
  seen_created: 'bigint',
  seen_updated: 'bigint',
} as const;

/** What a record is passed as, but for what follows from its place in the batch. */
export type DescribedRecord = Readonly<Record<Exclude<keyof typeof FIELDS, 'position' | 'times' | 'created'>, unknown>>;

/**
 * The columns that a put replaces, each with its value from `i`, the table of the records passed. `created` is when the record
 * was created: clocks go back, and the caller may name a time in the future.
 */
function replaced(dialect: Dialect, created: string): readonly (readonly [column: string, value: string])[] {
  const cast = (value: string, type: string) => (dialect === 'postgresql' ? `CAST(${value} AS ${type})` : value);
  return [
    ['content', 'i.content'],
    ['metadata', 'i.metadata'],
    ['fields', cast('i.fields', 'jsonb')],
    ['updated_ms', laterOf(dialect, nowOf(dialect), created)],
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

function laterOf(dialect: Dialect, a: string, b: string): string {
  return `${dialect === 'postgresql' ? 'GREATEST' : 'max'}(${a}, ${b})`;
}

/** A field of the source of the record that is there. */
function storedField(field: 'supersedes' | 'validFrom' | 'validUntil', row = 'r.'): string {
  return `${row}"fields" ->> '${sourceKey(field)}'`;
}

/** The column `fields` after a replacement, which keeps what the record supersedes and since when it holds. */
function keptFields(dialect: Dialect, gone: string): string {
  const kept = (['supersedes', 'validFrom'] as const)
    .map((field) => `'${sourceKey(field)}', ${storedField(field)}`)
    .join(', ');
  const merged =
    dialect === 'postgresql'
      ? `jsonb_strip_nulls(jsonb_build_object(${kept})) || excluded."fields"`
      : `json_patch(json_object(${kept}), excluded."fields")`;
  const isPlain = `COALESCE(${storedField('supersedes')}, ${storedField('validFrom')}) IS NULL`;
  return `CASE WHEN ${gone} OR ${isPlain} THEN excluded."fields" ELSE ${merged} END`;
}

/** Whether the record that is there is the one that `replaces` names, whose content and metadata are passed again. */
const IS_REPLACED = `(i.seen_updated IS NULL OR i.seen_updated = l."updated_ms" AND i.seen_created = l."created_ms"
  AND i.content = l."content" AND i.metadata = l."metadata")`;

/** Describes a record. Splits its text into words, which takes most of the time that a put takes in this process. */
type Describe = (record: IdentifiedRecord) => DescribedRecord;

/**
 * Puts records, each id once. With `absentOnly`, skips and does not return records whose id exists.
 *
 * If a record is closed, or of another version than its input expects, the version becomes NULL and the database refuses the
 * whole statement: `CONFLICT`.
 */
export function insertStatement(
  dialect: Dialect,
  namespace: NamespaceKey,
  inputs: readonly IdentifiedRecord[],
  describe: Describe,
  absentOnly: boolean,
): Written {
  const values = new Values(dialect);
  const [path, key] = [values.text(namespace.path), values.text(namespace.key)];
  const described = describeBatch(inputs, describe);
  const from = tableOf(dialect, 'i', described, FIELDS, values);
  const now = nowOf(dialect);
  const created = `COALESCE(i.created, ${now})`;
  const columns = replaced(dialect, created);
  const names = columns.map(([column]) => `"${column}"`);
  const isChecked = inputs.some(({ ifVersion }) => ifVersion !== undefined);
  const absent = inputs.flatMap(({ id, ifVersion }) => (ifVersion === 0 ? [[toStorable(id)]] : []));
  const isUnexpected =
    absent.length === 0 ? '' : `WHEN r."id" IN (${rowsOf(dialect, absent, ['text'], values)}) THEN NULL`;
  const turn = dialect === 'postgresql' ? [turnOf(key, described.length > 1)] : [];
  const locked = isChecked ? [lockedRecords(dialect, namespace, inputs, values)] : [];
  const before = [...turn, ...locked];
  const times = isChecked
    ? `CASE WHEN COALESCE(i.expected = COALESCE(l."version", 0), 1 = 1) AND ${IS_REPLACED} THEN i.times END`
    : 'i.times';
  const gone = `NOT ${liveIn(dialect, 'r')}`;
  // SQLite has one writer at a time, so that the next number is free.
  const newSeq = dialect === 'postgresql' ? 'excluded."seq"' : '(SELECT max("seq") + 1 FROM "keepsake_records")';
  const revised: Readonly<Record<string, string>> = {
    '"fields"': keptFields(dialect, gone),
    '"updated_ms"': `CASE WHEN ${gone} THEN excluded."updated_ms" ELSE ${laterOf(dialect, now, 'r."created_ms"')} END`,
  };
  const sql = `${before.length === 0 ? '' : `WITH ${before.join(', ')}`} INSERT INTO "keepsake_records" AS r
    ("namespace", "namespace_key", "id", "version", "created_ms", ${names.join(', ')})
  SELECT ${path}, ${key}, i.name, ${times}, ${created}, ${columns.map(([, value]) => value).join(', ')}
  FROM ${from} ${isChecked ? 'LEFT JOIN locked AS l ON l."id" = i.name' : ''} WHERE ${inTurn(dialect)} ORDER BY i.position
  ON CONFLICT ("namespace_key", "id") DO UPDATE SET
    "seq" = CASE WHEN ${gone} THEN ${newSeq} ELSE r."seq" END,
    "version" = CASE WHEN ${gone} THEN excluded."version"
      WHEN ${storedField('validUntil')} IS NOT NULL THEN NULL ${isUnexpected} ELSE r."version" + excluded."version" END,
    "created_ms" = CASE WHEN ${gone} THEN excluded."created_ms" ELSE r."created_ms" END,
    ${names.map((name) => `${name} = ${revised[name] ?? `excluded.${name}`}`).join(', ')}
  ${absentOnly ? `WHERE ${gone}` : ''}
  RETURNING "seq", "id", "version", "created_ms", "updated_ms", "expires_ms",
    ${storedField('supersedes', '')} AS "supersedes", ${storedField('validFrom', '')} AS "valid_from"`;
  return { sql, values };
}

/**
 * Waits until the records may take their numbers: those of a batch are adjacent in the namespace, so that nobody else puts
 * there meanwhile. Single puts don't wait for each other.
 */
function turnOf(key: string, isBatch: boolean): string {
  const lock = isBatch ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  return `turn AS MATERIALIZED (SELECT ${lock}(hashtextextended(${key}, 7305794361027)))`;
}

/** A condition that is evaluated before the rows are read. SQLite has one writer at a time. */
function inTurn(dialect: Dialect): string {
  return dialect === 'postgresql' ? 'EXISTS (SELECT FROM turn)' : '1 = 1';
}

/** The records that are there. PostgreSQL keeps others from changing them until the put is done. */
function lockedRecords(
  dialect: Dialect,
  namespace: NamespaceKey,
  inputs: readonly IdentifiedRecord[],
  values: Values,
): string {
  const ids = inputs.map(({ id }) => [toStorable(id)]);
  return `locked AS (
    SELECT "id", "version", "created_ms", "updated_ms", "content", "metadata" FROM "keepsake_records"
    WHERE "namespace_key" = ${values.text(namespace.key)} AND "id" IN (${rowsOf(dialect, ids, ['text'], values)})
      AND ${liveIn(dialect)} AND ${inTurn(dialect)} ORDER BY "id" ${dialect === 'postgresql' ? 'FOR UPDATE' : ''}
  )`;
}

/** Replaces a record if it still has the given version. */
export function updateStatement(
  dialect: Dialect,
  namespace: NamespaceKey,
  input: IdentifiedRecord,
  describe: Describe,
  version: number,
): Written {
  const values = new Values(dialect);
  const from = tableOf(dialect, 'i', describeBatch([input], describe), FIELDS, values);
  const assignments = replaced(dialect, 'r."created_ms"').map(([column, value]) => `"${column}" = ${value}`);
  const sql = `UPDATE "keepsake_records" AS r SET "version" = r."version" + 1, ${assignments.join(', ')}
  FROM ${from}
  WHERE r."namespace_key" = ${values.text(namespace.key)} AND r."id" = i.name AND r."version" = ${values.whole(version)}
    AND ${liveIn(dialect, 'r')}
  RETURNING "seq", "id", "version", "created_ms", "updated_ms", "expires_ms"`;
  return { sql, values };
}

/** If an id occurs more than once, passes only the last record, with the number of occurrences. */
function describeBatch(inputs: readonly IdentifiedRecord[], describe: Describe): object[] {
  const latest = new Map<string, Record<keyof typeof FIELDS, unknown>>();
  for (const [at, input] of inputs.entries()) {
    const former = latest.get(input.id);
    const { createdAt } = input;
    latest.set(input.id, {
      position: former?.position ?? at,
      times: Number(former?.times ?? 0) + 1,
      created: former ? former.created : createdAt === undefined ? null : Date.parse(createdAt),
      ...describe(input),
    });
  }
  return [...latest.values()];
}

export function describeRecord(
  dialect: Dialect,
  namespace: NamespaceKey,
  input: IdentifiedRecord,
  language: Language | undefined,
): DescribedRecord {
  return {
    name: toStorable(input.id),
    content: toStorable(input.content),
    metadata: JSON.stringify(input.metadata),
    fields: writeFields(input.metadata, input.source),
    ttl: input.ttlMs ?? null,
    expected: input.ifVersion ?? null,
    seen_created: millisecondsOf(input.replaces?.createdAt),
    seen_updated: millisecondsOf(input.replaces?.updatedAt),
    thread: storable(input.turn?.thread),
    turn: input.turn?.index ?? null,
    speaker: storable(input.turn?.speaker),
    ...describeText(dialect, namespace, input, language),
  };
}

function millisecondsOf(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

function storable(text: string | undefined): string | null {
  return text === undefined ? null : toStorable(text);
}

function describeText(
  dialect: Dialect,
  namespace: NamespaceKey,
  { content, index }: IdentifiedRecord,
  language: Language | undefined,
) {
  if (!index) return { words: null, count: null, language: null, flags: 0 };
  const found = remoteTerms(content, language);
  return {
    words: writeWords(dialect, namespace, found.terms),
    count: found.length,
    language: found.language,
    flags: found.flags,
  };
}

/** The records as they were put, one after another. */
export function putRecords(inputs: readonly IdentifiedRecord[], rows: readonly PutRow[]): MemoryRecord[] {
  const byId = new Map(rows.map((row) => [fromStorable(row.id), row]));
  const left = new Map<string, number>();
  for (const { id } of inputs) left.set(id, (left.get(id) ?? 0) + 1);
  return inputs.map(({ id, content, metadata, ttlMs, turn, index, ...input }) => {
    const row = byId.get(id) as PutRow;
    const source = revisedSource(input.source, {
      ...(row.supersedes != null && { supersedes: readScalar(row.supersedes) }),
      ...(row.valid_from != null && { validFrom: readScalar(row.valid_from) }),
    });
    const later = (left.get(id) as number) - 1;
    left.set(id, later);
    return {
      id,
      content,
      metadata,
      version: Number(row.version) - later,
      createdAt: isoTime(row.created_ms),
      updatedAt: isoTime(row.updated_ms),
      ...(ttlMs === undefined ? {} : { expiresAt: isoTime(row.expires_ms) }),
      ...(turn === undefined ? {} : { turn }),
      ...(source === undefined ? {} : { source }),
      index,
    };
  });
}
