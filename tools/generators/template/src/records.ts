import type { MemoryEntry, MemoryRecord, Namespace, NamespaceInfo, Page } from '@keepsake/core';
import {
  checkRemoval,
  type IdentifiedRecord,
  isWithin,
  keptRecord,
  matchesFilter,
  type NamespaceList,
  type NamespaceRecords,
  nextNamespaces,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
  revisedRecord,
} from '@keepsake/core/adapter';
import { excerptsFor } from '@keepsake/search/remote';
import type { Connection } from './connection.ts';
import { namespaceKey, readNamespaceKey } from './schema.ts';
import { searchRows, writeWords } from './words.ts';

/** A condition of a `WHERE` clause that excludes expired records. Its parameter is the current time. */
const ALIVE = '(expires_at IS NULL OR expires_at > ?)';

/** The records of one namespace. */
export class Records implements NamespaceRecords {
  readonly #connection: Connection;
  readonly #namespace: Namespace;
  readonly #key: string;

  constructor(connection: Connection, namespace: Namespace) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#key = namespaceKey(namespace);
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    return this.#find(id);
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<MemoryRecord[]> {
    return this.#change(() =>
      records.map((record) => {
        const known = this.#find(record.id);
        return keptRecord(record, known, options) ?? this.#write(revisedRecord(record, known, new Date()));
      }),
    );
  }

  async delete(id: string, options: RemovalOptions): Promise<boolean> {
    return this.#change(() => {
      const known = this.#find(id);
      if (known === undefined) return false;
      checkRemoval(known, options);
      this.#connection.all('DELETE FROM keepsake_records WHERE namespace = ? AND id = ?', this.#key, id);
      return true;
    });
  }

  async clear(descendants: boolean): Promise<number> {
    const sql = 'DELETE FROM keepsake_records WHERE namespace = ? RETURNING place';
    return this.#change(() => {
      const keys = [this.#key, ...(descendants ? this.#below().map(namespaceKey) : [])];
      return keys.reduce((count, key) => count + this.#connection.all(sql, key).length, 0);
    });
  }

  async list({ limit, order, idPrefix = '', rules, cursor }: RecordList): Promise<Page<MemoryRecord>> {
    const kind = `records ${order}`;
    const { cursors } = this.#connection;
    const after = (await cursors.read(cursor, kind, this.#namespace)) ?? (order === 'oldest' ? 0 : Infinity);
    const [beyond, direction] = order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
    const rows = this.#connection.all<{ place: number; record: string }>(
      `SELECT place, record FROM keepsake_records WHERE namespace = ? AND place ${beyond} ? AND ${ALIVE}
       ORDER BY place ${direction} LIMIT ?`,
      this.#key,
      after,
      new Date().toISOString(),
      rules.length === 0 && idPrefix === '' ? limit + 1 : -1,
    );
    const matching = rows
      .map(({ place, record }) => ({ place, record: JSON.parse(record) as MemoryRecord }))
      .filter(({ record }) => record.id.startsWith(idPrefix) && matchesFilter(rules, record));
    const page = matching.slice(0, limit);
    const items = page.map(({ record }) => record);
    const last = page.at(-1);
    if (matching.length <= limit || last === undefined) return { items };
    return { items, cursor: await cursors.write(kind, this.#namespace, last.place) };
  }

  namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    const sql = `SELECT count(*) AS count FROM keepsake_records WHERE namespace = ? AND ${ALIVE}`;
    const count = (namespace: Namespace) =>
      this.#connection.all<{ count: number }>(sql, namespaceKey(namespace), new Date().toISOString())[0]?.count ?? 0;
    return nextNamespaces(this.#below(), list, count);
  }

  async search(search: RecordSearch): Promise<MemoryEntry[]> {
    return this.#search([this.#key], search).map(({ namespace, ...entry }) => entry);
  }

  async searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    return this.#search([this.#key, ...this.#below().map(namespaceKey)], search);
  }

  #search(keys: readonly string[], { query, limit, rules, minScore }: RecordSearch): MemoryEntry[] {
    const excerptOf = excerptsFor(query);
    return searchRows(this.#connection, keys, query)
      .filter((found) => found.score >= minScore && matchesFilter(rules, found))
      .slice(0, limit)
      .map(({ version, expiresAt, index, ...entry }) => {
        const excerpt = excerptOf(entry.content);
        return excerpt === undefined ? entry : { ...entry, excerpt };
      });
  }

  #find(id: string): MemoryRecord | undefined {
    const sql = `SELECT record FROM keepsake_records WHERE namespace = ? AND id = ? AND ${ALIVE}`;
    const [row] = this.#connection.all<{ record: string }>(sql, this.#key, id, new Date().toISOString());
    return row && (JSON.parse(row.record) as MemoryRecord);
  }

  /** Inserts a row, or replaces one, which keeps its place. */
  #write(record: MemoryRecord): MemoryRecord {
    const [row] = this.#connection.all<{ place: number }>(
      `INSERT INTO keepsake_records (namespace, id, record, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (namespace, id) DO UPDATE SET record = excluded.record, expires_at = excluded.expires_at
       RETURNING place`,
      this.#key,
      record.id,
      JSON.stringify(record),
      record.expiresAt ?? null,
    );
    writeWords(this.#connection, this.#key, (row as { place: number }).place, record);
    return record;
  }

  /** Removes the expired records of all namespaces before each change, so that no change sees them. */
  #change<T>(change: () => T): T {
    return this.#connection.transaction(() => {
      this.#connection.all('DELETE FROM keepsake_records WHERE expires_at <= ?', new Date().toISOString());
      return change();
    });
  }

  #below(): Namespace[] {
    return this.#connection
      .all<{ namespace: string }>('SELECT DISTINCT namespace FROM keepsake_records')
      .map((row) => readNamespaceKey(row.namespace))
      .filter((namespace) => namespace.length > this.#namespace.length && isWithin(namespace, this.#namespace));
  }
}
