import type { MemoryRecord, Namespace } from '@keepsake/core';
import { isWithin, nextNamespaces } from '@keepsake/core/adapter';
import { type LoggedRecord, type RecordLog, type RecordLogs, readRecord, writeRecord } from '@keepsake/search';
import type { Connection, Value } from './connection.ts';

type Row = { readonly change: number; readonly id: string; readonly record: string | null; readonly created: number };

const ROWS = 'SELECT change, id, record, created FROM keepsake_records WHERE namespace = ?';
const LIVE = 'record IS NOT NULL AND (expires_ms IS NULL OR expires_ms > ?)';
/** Moves a record to the end of the order of changes. It keeps its place in the order of creation. */
const WRITE = `INSERT OR REPLACE INTO keepsake_records (namespace, id, record, expires_ms, first_change) VALUES (?1, ?2, ?3, ?4,
  (SELECT created FROM keepsake_records WHERE namespace = ?1 AND id = ?2 AND record IS NOT NULL))`;

/** The records of all namespaces. */
export function openRecords(connection: Connection): RecordLogs {
  const open = (namespace: Namespace) => openNamespace(connection, namespace);
  const namespacesBelow = (namespace: Namespace) =>
    connection
      .all<{ namespace: string }>('SELECT namespace FROM keepsake_namespaces')
      .map((row) => JSON.parse(row.namespace) as Namespace)
      .filter((one) => one.length > namespace.length && isWithin(one, namespace));
  return {
    ...{ durable: true, shared: true, open },
    cursorSeal: async () => connection.cursorSeal(),
    namespacesBelow: async (namespace) => namespacesBelow(namespace),
    nextNamespaces: async (below, list) => nextNamespaces(namespacesBelow(below), list, (one) => open(one).count()),
    async clearTree(namespace) {
      const clear = (count: number, one: Namespace) => count + open(one).remove();
      return connection.transaction(() => [namespace, ...namespacesBelow(namespace)].reduce(clear, 0));
    },
  };
}

/** The records of one namespace, and their changes. */
function openNamespace(connection: Connection, namespace: Namespace) {
  // JSON separates the segments, whatever they contain: ['a', 'b'] is not ['a:b'].
  const key = JSON.stringify(namespace);
  const all = <Found>(sql: string, ...values: Value[]) => connection.all<Found>(sql, key, ...values);
  const live = (now: number, condition: string, ...values: Value[]) =>
    all<Row>(`${ROWS} AND ${LIVE} AND ${condition}`, now, ...values).map(readRow);
  const read = (now: number, ids: readonly string[]) =>
    live(now, 'id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
  const write = (id: string, record: string | null, expiresAt?: string) =>
    all(WRITE, id, record, expiresAt === undefined ? null : Date.parse(expiresAt));
  const count = (now = Date.now()) => {
    const sql = `SELECT count(*) AS count FROM keepsake_records WHERE namespace = ? AND ${LIVE}`;
    return all<{ count: number }>(sql, now)[0]?.count ?? 0;
  };
  /** Needs a transaction. Returns how many records had not expired. */
  const remove = () => {
    const removed = count();
    all('DELETE FROM keepsake_records WHERE namespace = ?');
    all('DELETE FROM keepsake_namespaces WHERE namespace = ?');
    return removed;
  };
  const log: RecordLog = {
    read: async (ids) => read(Date.now(), ids),

    change: async (ids, decide) =>
      connection.transaction(() => {
        const now = Date.now();
        // In all namespaces. Each row keeps its number: readers that have seen the record know when it expires.
        connection.all('UPDATE keepsake_records SET record = NULL, expires_ms = NULL WHERE expires_ms <= ?', now);
        const known = new Map<string, MemoryRecord>(read(now, ids).map(({ record }) => [record.id, record]));
        const changes = decide(known)(new Date(now));
        if (changes.length > 0) all('INSERT OR IGNORE INTO keepsake_namespaces (namespace) VALUES (?)');
        for (const change of changes) {
          if ('put' in change) write(change.put.id, writeRecord(change.put), change.put.expiresAt);
          else write(change.delete, null);
        }
      }),

    changes: async (after) =>
      connection.transaction(() => {
        const [found] = all<{ log: number }>('SELECT log FROM keepsake_namespaces WHERE namespace = ?');
        const isBeginning = after === undefined || after.log !== found?.log;
        const from = isBeginning ? 0 : after.change;
        const rows = all<Row>(`${ROWS} AND change > ? ORDER BY change LIMIT 500`, from);
        const changes = rows.map((row) => (row.record === null ? { ...row, deleted: row.id } : readRow(row)));
        // A log forgets no deletion, see `compact`, so `began` is not used.
        const position = { log: found?.log, change: rows.at(-1)?.change ?? from, began: 0 };
        return { ...position, isBeginning, changes, isLast: rows.length < 500 };
      }, 'BEGIN'),

    async list({ order, after, limit }) {
      const [beyond, direction, first] = order === 'oldest' ? ['>', 'ASC', 0] : ['<', 'DESC', Infinity];
      return live(Date.now(), `created ${beyond} ? ORDER BY created ${direction} LIMIT ?`, after ?? first, limit);
    },

    clear: async () => connection.transaction(remove),

    compact: async () =>
      connection.transaction(() => {
        const now = Date.now();
        all('DELETE FROM keepsake_records WHERE namespace = ? AND (record IS NULL OR expires_ms <= ?)', now);
        // A new log: readers of the old one can't learn what was deleted, so they begin again.
        all('DELETE FROM keepsake_namespaces WHERE namespace = ?');
        if (count(now) > 0) all('INSERT INTO keepsake_namespaces (namespace) VALUES (?)');
      }),

    // No index is saved: the first search of a process reads all records.
    readIndex: async () => undefined,
    writeIndex: async () => undefined,
  };
  return { ...log, count, remove };
}

function readRow({ id, record, change, created }: Row): LoggedRecord {
  return { record: readRecord(id, String(record)), change, created };
}
