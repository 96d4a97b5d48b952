import type { Embedder } from '@keepsake/core';
import type { GuardedChange, LogPosition, LogRange } from '@keepsake/search';
import { liveIn, nowOf } from '../database/clock.ts';
import type { Dialect } from '../database/dialect.ts';
import { Values, type Written } from '../database/statement.ts';
import { toStorable } from '../database/storable-text.ts';
import type { NamespaceKey } from './namespace-key.ts';
import { RECORD_COLUMNS } from './record-rows.ts';

/*
 * The statements of the records of one namespace. Their texts never vary. Subqueries, rather than joins, keep planners reading
 * records as ranges of their indexes.
 */

/** How many expired records a change removes beside its own. */
const MOST_EXPIRED = 32;
/** How many deletions are remembered, so that others need not read a whole namespace again: half of them stay. */
const MOST_DELETIONS = 8_192;
/** How many expired records one statement of a compaction removes. */
const EXPIRED_AT_ONCE = 2_000;

function ofNamespace(key: NamespaceKey['key'], values: Values, what = 'number'): string {
  return `(SELECT ${what} FROM keepsake_namespaces WHERE key = ${values.text(key)})`;
}

/** The records with these ids that have not expired, with their writers from PostgreSQL. */
export function selectRecords(dialect: Dialect, { key }: NamespaceKey, ids: readonly string[]): Written {
  const values = new Values(dialect);
  const list = ids.map(toStorable);
  const writer = dialect === 'postgresql' ? ', xmin::text AS writer' : '';
  const sql = `SELECT ${RECORD_COLUMNS}${writer} FROM keepsake_records
    WHERE namespace = ${ofNamespace(key, values)} AND record IS NOT NULL AND ${liveIn(dialect)} AND id ${
      dialect === 'postgresql'
        ? `= ANY(${values.texts(list)})`
        : `IN (SELECT value FROM json_each(${values.text(JSON.stringify(list))}))`
    }`;
  return { sql, values, isFixed: true };
}

/** The next records in the order of their creation. */
export function selectRange(dialect: Dialect, { key }: NamespaceKey, { order, after, limit }: LogRange): Written {
  const values = new Values(dialect);
  const [sign, direction, first] = order === 'oldest' ? ['>', 'ASC', 0] : ['<', 'DESC', Number.MAX_SAFE_INTEGER];
  const [from, most] = [values.whole(after ?? first), values.whole(limit)];
  const sql =
    dialect === 'postgresql'
      ? `SELECT ${RECORD_COLUMNS} FROM keepsake_${order}_records(${ofNamespace(key, values)}, ${from}, ${most})`
      : `SELECT ${RECORD_COLUMNS} FROM keepsake_records
        WHERE namespace = ${ofNamespace(key, values)} AND created ${sign} ${from} AND ${liveIn(dialect)}
        ORDER BY created ${direction} LIMIT ${most}`;
  return { sql, values, isFixed: true };
}

/**
 * What changed after a position, at most `limit` records and deletions, and a row without an id with the state of the namespace:
 * `change` is the last one, `created` its number, `created_ms` the last deletion that is forgotten, `updated_ms` the time.
 */
export function selectChanges(
  dialect: Dialect,
  { key }: NamespaceKey,
  after: LogPosition | undefined,
  limit: number,
  embedder: Embedder | undefined,
): Written {
  const values = new Values(dialect);
  const [log, change, reached] = [
    after?.log ?? -1,
    after?.change ?? 0,
    Math.max(after?.change ?? 0, after?.began ?? 0),
  ];
  const from = `CASE WHEN number = ${values.whole(Number(log))} AND ${values.whole(reached)} >= forgotten
    THEN ${values.whole(change)} ELSE 0 END`;
  const bytes = dialect === 'postgresql' ? `encode(vector, 'base64')` : 'hex(vector)';
  const vector = embedder && `CASE WHEN embedder = ${values.text(toStorable(embedder.id))} THEN ${bytes} END`;
  const [namespace, start, most] = [ofNamespace(key, values), ofNamespace(key, values, from), values.whole(limit)];
  const changed =
    dialect === 'postgresql'
      ? `keepsake_changed_records(${namespace}, ${start}, ${most})`
      : `(
        SELECT * FROM keepsake_records WHERE namespace = ${namespace} AND change > 0 AND change > ${start}
        ORDER BY change LIMIT ${most}
      )`;
  const sql = `SELECT NULL AS id, change, number AS created, NULL AS record, forgotten AS created_ms,
      ${nowOf(dialect)} AS updated_ms, NULL AS expires_ms ${vector === undefined ? '' : ', NULL AS vector'}
    FROM keepsake_namespaces WHERE key = ${values.text(key)}
    UNION ALL SELECT ${RECORD_COLUMNS} ${vector === undefined ? '' : `, ${vector} AS vector`} FROM ${changed}`;
  return { sql, values, isFixed: true };
}

/** Makes changes. See `keepsake_change_records` in the migrations. */
export function changeStatement(
  dialect: Dialect,
  namespace: NamespaceKey,
  changes: readonly GuardedChange[],
  embedder: Embedder | undefined,
): Written {
  return recordChanges(dialect, namespace, changes, embedder, [MOST_EXPIRED, MOST_DELETIONS]);
}

/** Removes expired records and forgets all deletions. */
export function sweepStatement(dialect: Dialect, namespace: NamespaceKey): Written {
  return recordChanges(dialect, namespace, [], undefined, [EXPIRED_AT_ONCE, 0]);
}

function recordChanges(
  dialect: Dialect,
  { path, key }: NamespaceKey,
  changes: readonly GuardedChange[],
  embedder: Embedder | undefined,
  limits: readonly [mostExpired: number, mostDeletions: number],
): Written {
  const values = new Values(dialect);
  const isPostgres = dialect === 'postgresql';
  const texts = changes.map(({ put }) => (put === undefined ? null : bodyOf(put)));
  const described = changes.map((change, index) => ({
    id: toStorable(change.id),
    ...{ guard: change.guard?.change, guard_ms: change.guard?.updatedMs, guard_writer: change.guard?.writer },
    ...{ place: change.place, created: change.created, place_created: change.placeCreated },
    ...{ created_ms: change.createdMs, ttl_ms: change.ttlMs, vector: change.vector && hexOf(change.vector) },
    ...(!isPostgres && { record: texts[index] }),
  }));
  const list = values.text(JSON.stringify(described));
  const lastPlace = values.whole(changes.at(-1)?.place ?? 0);
  const own = values.text(embedder === undefined ? null : toStorable(embedder.id));
  const [mostExpired, mostDeletions] = limits.map((limit) => values.whole(limit));
  const sql = isPostgres
    ? // JSON texts have no line breaks, so that PostgreSQL can split them at those.
      `SELECT * FROM keepsake_change_records(${values.text(path)}, ${values.text(key)}, CAST(${list} AS json),
        ${values.text(texts.join('\n'))}, CAST(${lastPlace} AS int), ${own}, CAST(${mostExpired} AS int), CAST(${mostDeletions} AS int))`
    : `INSERT INTO keepsake_record_changes
        (path, key, now_ms, changes, last_place, embedder, most_expired, most_deletions)
      VALUES (${values.text(path)}, ${values.text(key)}, ${nowOf(dialect)}, ${list}, ${lastPlace}, ${own}, ${mostExpired}, ${mostDeletions})
      RETURNING now_ms`;
  return { sql, values, isFixed: true };
}

/** What the column `record` has: the record without its id and times. */
function bodyOf({ id, createdAt, updatedAt, expiresAt, ...body }: NonNullable<GuardedChange['put']>): string {
  return JSON.stringify(body);
}

function hexOf({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}
