import {
  type ListOptions,
  MemoryError,
  type MemoryRecord,
  matchesFilter,
  type Namespace,
  type NamespaceInfo,
  type Page,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  readCursor,
  writeCursor,
} from '@keepsake/core';
import { analyse } from '@keepsake/search';
import type { Connection } from './connection.ts';
import { namespaceKey, readNamespaceKey } from './schema.ts';

/** Ends a `WHERE`: leaves out records whose time is over. Takes the present time. */
const ALIVE = '(expires_at IS NULL OR expires_at > ?)';

/** The records of one namespace. Nothing in here waits: several calls can be one transaction. */
export class Records {
  readonly #connection: Connection;
  readonly #key: string;

  constructor(connection: Connection, namespace: Namespace) {
    this.#connection = connection;
    this.#key = namespaceKey(namespace);
  }

  get(id: string): MemoryRecord | undefined {
    const sql = `SELECT record FROM keepsake_records WHERE namespace = ? AND id = ? AND ${ALIVE}`;
    const [row] = this.#connection.all<{ record: string }>(sql, this.#key, id, now());
    return row && (JSON.parse(row.record) as MemoryRecord);
  }

  /** Creates a record, or replaces it: then it keeps its place. */
  put(input: PreparedRecord & { readonly id: string }): MemoryRecord {
    const record = revise(this.get(input.id), input);
    const [row] = this.#connection.all<{ place: number }>(
      `INSERT INTO keepsake_records (namespace, id, record, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (namespace, id) DO UPDATE SET record = excluded.record, expires_at = excluded.expires_at
       RETURNING place`,
      this.#key,
      record.id,
      JSON.stringify(record),
      record.expiresAt ?? null,
    );
    this.#index((row as { place: number }).place, input);
    return record;
  }

  delete(id: string): void {
    this.#connection.all('DELETE FROM keepsake_records WHERE namespace = ? AND id = ?', this.#key, id);
  }

  /** Removes all, and says how many there were. */
  clear(): number {
    return this.#connection.all('DELETE FROM keepsake_records WHERE namespace = ? RETURNING place', this.#key).length;
  }

  list(options: ListOptions | undefined): Page<MemoryRecord> {
    const limit = pageLimit(options);
    const rules = parseFilter(options?.filter);
    const { order = 'newest' } = options ?? {};
    if (order !== 'newest' && order !== 'oldest') {
      throw new MemoryError('INVALID_ARGUMENT', "order is to be 'newest' or 'oldest'.");
    }
    const kind = `records ${order}`;
    const [after = order === 'oldest' ? 0 : Infinity] = readCursor(options?.cursor, kind, ['number']) ?? [];
    const [beyond, direction] = order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
    const rows = this.#connection.all<{ place: number; record: string }>(
      `SELECT place, record FROM keepsake_records WHERE namespace = ? AND place ${beyond} ? AND ${ALIVE}
       ORDER BY place ${direction} LIMIT ?`,
      this.#key,
      after,
      now(),
      rules.length === 0 ? limit + 1 : -1,
    );
    const matching = rows
      .map(({ place, record }) => ({ place, record: JSON.parse(record) as MemoryRecord }))
      .filter(({ record }) => matchesFilter(rules, record));
    const page = matching.slice(0, limit);
    const items = page.map(({ record }) => record);
    const last = page.at(-1);
    if (matching.length <= limit || last === undefined) return { items };
    return { items, cursor: writeCursor(kind, [last.place]) };
  }

  /**
   * The records that share a word with the query, best first: rare words tell more. Words are values, never a part of
   * the SQL, so that no text is a command.
   */
  search(query: string): (MemoryRecord & { readonly score: number })[] {
    const weights = JSON.stringify(this.#weights(analyse(query)));
    const rows = this.#connection.all<{ record: string; score: number }>(
      `SELECT record, sum(weights.value) AS score
       FROM json_each(?) AS weights
       JOIN keepsake_words AS words ON words.namespace = ? AND words.word = weights.key
       JOIN keepsake_records AS records ON records.place = words.place
       WHERE ${ALIVE} GROUP BY records.place ORDER BY score DESC, records.place DESC`,
      weights,
      this.#key,
      now(),
    );
    return rows.map(({ record, score }) => ({ ...(JSON.parse(record) as MemoryRecord), score }));
  }

  #weights(words: readonly string[]): Record<string, number> {
    const [all] = this.#connection.all<{ count: number }>(
      'SELECT count(*) AS count FROM keepsake_records WHERE namespace = ?',
      this.#key,
    );
    const found = this.#connection.all<{ word: string; count: number }>(
      `SELECT word, count(*) AS count FROM keepsake_words
       WHERE namespace = ? AND word IN (SELECT value FROM json_each(?)) GROUP BY word`,
      this.#key,
      JSON.stringify(words),
    );
    return Object.fromEntries(found.map(({ word, count }) => [word, Math.log(1 + (all?.count ?? 0) / count)]));
  }

  #index(place: number, { content, index }: PreparedRecord): void {
    this.#connection.all('DELETE FROM keepsake_words WHERE place = ?', place);
    if (!index) return;
    this.#connection.all(
      'INSERT INTO keepsake_words (namespace, word, place) SELECT DISTINCT ?, value, ? FROM json_each(?)',
      this.#key,
      place,
      JSON.stringify(analyse(content)),
    );
  }
}

/** Removes the records of all namespaces whose time is over. Comes first in every change, which then meets none. */
export function removeExpired(connection: Connection): void {
  connection.all('DELETE FROM keepsake_records WHERE expires_at <= ?', now());
}

/** Every namespace that holds records. */
export function allNamespaces(connection: Connection): NamespaceInfo[] {
  const sql = `SELECT namespace, count(*) AS count FROM keepsake_records WHERE ${ALIVE} GROUP BY namespace`;
  return connection
    .all<{ namespace: string; count: number }>(sql, now())
    .map(({ namespace, count }) => ({ namespace: readNamespaceKey(namespace), recordCount: count }));
}

function revise(before: MemoryRecord | undefined, input: PreparedRecord & { readonly id: string }): MemoryRecord {
  const { id, content, metadata, createdAt, ttlMs, turn } = input;
  const time = new Date();
  return {
    id,
    content,
    metadata,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? createdAt ?? time.toISOString(),
    updatedAt: time.toISOString(),
    ...(ttlMs === undefined ? {} : { expiresAt: new Date(time.getTime() + ttlMs).toISOString() }),
    ...(turn === undefined ? {} : { turn }),
  };
}

/** ISO 8601 in UTC: as text such times are in the order of time. */
function now(): string {
  return new Date().toISOString();
}
