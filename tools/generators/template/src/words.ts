import type { MemoryRecord, Namespace } from '@keepsake/core';
import { analyse } from '@keepsake/search';
import type { Connection } from './connection.ts';
import { readNamespaceKey } from './schema.ts';

/** Indexes the words of a record, unless it is kept out of search. */
export function writeWords(connection: Connection, key: string, place: number, { content, index }: MemoryRecord): void {
  connection.all('DELETE FROM keepsake_words WHERE place = ?', place);
  if (!index) return;
  const sql = 'INSERT INTO keepsake_words (namespace, word, place) SELECT DISTINCT ?, value, ? FROM json_each(?)';
  connection.all(sql, key, place, JSON.stringify(analyse(content)));
}

/** A record that was found. */
type FoundRecord = MemoryRecord & { readonly namespace: Namespace; readonly score: number };

/**
 * The records of these namespaces that share a word with the query, best first. Rare words count more. Words are passed as values, never as
 * part of the SQL, so no text can be a command.
 */
export function searchRows(connection: Connection, keys: readonly string[], query: string): FoundRecord[] {
  const rows = connection.all<{ namespace: string; record: string; score: number }>(
    `SELECT records.namespace, record, sum(weights.value) AS score
     FROM json_each(?) AS weights
     JOIN json_each(?) AS keys
     JOIN keepsake_words AS words ON words.namespace = keys.value AND words.word = weights.key
     JOIN keepsake_records AS records ON records.place = words.place
     WHERE expires_at IS NULL OR expires_at > ?
     GROUP BY records.place ORDER BY score DESC, records.place DESC`,
    JSON.stringify(weigh(connection, keys, analyse(query))),
    JSON.stringify(keys),
    new Date().toISOString(),
  );
  return rows.map(({ namespace, record, score }) => {
    return { ...(JSON.parse(record) as MemoryRecord), namespace: readNamespaceKey(namespace), score };
  });
}

function weigh(connection: Connection, keys: readonly string[], words: readonly string[]): Record<string, number> {
  const isIn = 'namespace IN (SELECT value FROM json_each(?))';
  const sql = `SELECT count(*) AS count FROM keepsake_records WHERE ${isIn}`;
  const [all] = connection.all<{ count: number }>(sql, JSON.stringify(keys));
  const found = connection.all<{ word: string; count: number }>(
    `SELECT word, count(*) AS count FROM keepsake_words
     WHERE ${isIn} AND word IN (SELECT value FROM json_each(?)) GROUP BY word`,
    JSON.stringify(keys),
    JSON.stringify(words),
  );
  return Object.fromEntries(found.map(({ word, count }) => [word, Math.log(1 + (all?.count ?? 0) / count)]));
}
