import type { Embedder, MemoryRecord, Namespace } from '@keepsake/core';
import type { Steps } from '@keepsake/internal';
import { type DecideChanges, readRecord, writeRecord } from '@keepsake/search';
import type { Connection } from '../database/connection.ts';
import { vectorBytes } from '../database/stored-values.ts';
import { findNamespace, putNamespace, removeIfEmpty } from './namespace-rows.ts';

/** How many expired records a change removes beside its own. */
const MOST_EXPIRED = 32;
/** How many deletions are remembered, so that others need not read a whole namespace again. */
const MOST_DELETIONS = 4_096;
const FORGOTTEN_AT_ONCE = 250;
/** How many ids are looked up at a time. */
const LOOK_UP_AT_ONCE = 250;

/** What a call changes. */
export interface Decision {
  readonly ids: readonly string[];
  readonly decide: DecideChanges;
}

/** A row that is there, perhaps of an expired record or a deletion. */
interface KnownRow {
  readonly change: number;
  readonly id: string;
  readonly json: string | null;
  readonly created: number | null;
  readonly expires_ms: number | null;
}

const KNOWN = `SELECT change, id, json, created, expires_ms FROM keepsake_records
  WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))`;
const INSERT = `INSERT INTO keepsake_records (change, namespace, id, json, created, expires_ms, embedder, vector)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/** Changes records of a namespace, and creates it if it is missing. */
export function* makeChanges(
  connection: Connection,
  path: Namespace,
  embedder: Embedder | undefined,
  { ids, decide }: Decision,
): Steps<void> {
  const namespaceRow = findNamespace(connection, path);
  const rows = new Map<string, Pick<KnownRow, 'change' | 'json'>>();
  const liveRecords = new Map<string, MemoryRecord>();
  /** The number of the change that created each record. */
  const createdBy = new Map<string, number>();
  for (let from = 0; from < ids.length && namespaceRow !== undefined; from += LOOK_UP_AT_ONCE) {
    const some = JSON.stringify(ids.slice(from, from + LOOK_UP_AT_ONCE));
    for (const row of connection.all<KnownRow>(KNOWN, namespaceRow.namespace, some)) {
      rows.set(row.id, row);
      const isLive = row.json !== null && (row.expires_ms === null || row.expires_ms > Date.now());
      if (!isLive) continue;
      liveRecords.set(row.id, readRecord(row.id, row.json));
      createdBy.set(row.id, row.created ?? row.change);
    }
    yield;
  }
  const changes = decide(liveRecords)(new Date());
  if (changes.length === 0) return;
  const { namespace } = namespaceRow ?? putNamespace(connection, path);
  let change = lastChange(connection);
  let [records, deletions] = [0, 0];
  for (const one of changes) {
    change++;
    const id = 'put' in one ? one.put.id : one.delete;
    const row = rows.get(id);
    if (row !== undefined) {
      connection.run('DELETE FROM keepsake_records WHERE change = ?', row.change);
      if (row.json === null) deletions--;
      else records--;
    }
    if ('put' in one) {
      const created = createdBy.get(id) ?? change;
      const { expiresAt } = one.put;
      const expires = expiresAt === undefined ? null : Date.parse(expiresAt);
      const vector = one.vector === undefined ? null : vectorBytes(one.vector);
      const json = writeRecord(one.put);
      const values = [id, json, created, expires, vector && (embedder?.id ?? null), vector];
      connection.run(INSERT, change, namespace, ...values);
      records++;
      // A batch may put it again.
      createdBy.set(id, created);
      rows.set(id, { change, json });
    } else {
      connection.run(INSERT, change, namespace, id, null, null, null, null, null);
      deletions++;
    }
    yield;
  }
  count(connection, namespace, records, deletions);
  removeExpired(connection, path, MOST_EXPIRED);
  forgetMany(connection, path);
}

/** The number of the last change in all namespaces. */
export function lastChange(connection: Connection): number {
  const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'keepsake_records'";
  return connection.first<{ seq: number }>(sql)?.seq ?? 0;
}

/** Removes expired records of a namespace, at most `limit`. Returns whether there may be others. */
export function removeExpired(connection: Connection, path: Namespace, limit: number): boolean {
  const row = findNamespace(connection, path);
  if (row === undefined) return false;
  const { namespace } = row;
  const sql = 'SELECT change, id FROM keepsake_records WHERE namespace = ? AND expires_ms <= ? LIMIT ?';
  const expired = connection.all<{ change: number; id: string }>(sql, namespace, Date.now(), limit);
  let change = lastChange(connection);
  for (const one of expired) {
    connection.run('DELETE FROM keepsake_records WHERE change = ?', one.change);
    connection.run(INSERT, ++change, namespace, one.id, null, null, null, null, null);
  }
  count(connection, namespace, -expired.length, expired.length);
  return expired.length === limit;
}

/** Notes how many records and deletions a namespace has. Removes one without records. */
function count(connection: Connection, namespace: number, records: number, deletions: number): void {
  const sql = 'UPDATE keepsake_namespaces SET records = records + ?, deletions = deletions + ? WHERE namespace = ?';
  if (records !== 0 || deletions !== 0) connection.run(sql, records, deletions, namespace);
  removeIfEmpty(connection, namespace);
}

/** Forgets the oldest deletions of a namespace, if there are many. */
function forgetMany(connection: Connection, path: Namespace): void {
  const row = findNamespace(connection, path);
  if (row !== undefined && row.deletions > 2 * MOST_DELETIONS) forgetOldest(connection, row.namespace, MOST_DELETIONS);
}

/** Forgets deletions of all namespaces. Returns whether there may be others. */
export function forgetDeletions(connection: Connection): boolean {
  const sql = 'SELECT namespace FROM keepsake_namespaces WHERE deletions > 0';
  const row = connection.first<{ namespace: number }>(sql);
  if (row !== undefined) forgetOldest(connection, row.namespace, FORGOTTEN_AT_ONCE);
  return row !== undefined;
}

function forgetOldest(connection: Connection, namespace: number, limit: number): void {
  const oldest = `SELECT change FROM keepsake_records WHERE namespace = ? AND json IS NULL ORDER BY change LIMIT ?`;
  const changes = connection.all<{ change: number }>(oldest, namespace, limit);
  for (const { change } of changes) connection.run('DELETE FROM keepsake_records WHERE change = ?', change);
  const sql = `UPDATE keepsake_namespaces SET deletions = deletions - ?, forgotten = max(forgotten, ?) WHERE namespace = ?`;
  connection.run(sql, changes.length, changes.at(-1)?.change ?? 0, namespace);
}
