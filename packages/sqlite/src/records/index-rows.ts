import { MemoryError, type Namespace } from '@keepsake/core';
import type { IndexWriter, SavedIndex } from '@keepsake/search';
import { PAGE_BITS, removePages } from '../database/cleared-rows.ts';
import type { Connection } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { crc32 } from './crc32.ts';
import { findNamespace } from './namespace-rows.ts';
import { forgetDeletions } from './record-changes.ts';

/** After this time without another page, the process that writes an index has ended. */
const LEASE_MS = 30_000;
/** How long the removals of one transaction take. */
const STEP_MS = 5;
/** How many of the last pages are read with an index. */
const LAST_PAGES = 32;
/** How many pages are read in one step. */
const PAGES_AT_ONCE = 16;

interface IndexRow {
  readonly saved: number;
  readonly namespace: number;
  readonly change: number;
}

interface PageRow {
  readonly place: number;
  readonly bytes: Uint8Array;
  readonly checksum: number;
}

/** The saved index of a variant. */
export function readIndex(database: Database, path: Namespace, variant: string): Promise<SavedIndex | undefined> {
  return database.read((connection) => {
    const row = findIndex(connection, path, variant);
    if (row === undefined) return undefined;
    const { saved, namespace, change } = row;
    const first = saved * 2 ** PAGE_BITS;
    const sql = `SELECT place, bytes, checksum FROM keepsake_pages WHERE place >= ? AND place < ?
      ORDER BY place DESC LIMIT ${LAST_PAGES}`;
    const last = connection.all<PageRow>(sql, first, first + 2 ** PAGE_BITS);
    const count = (last[0]?.place ?? first - 1) - first + 1;
    const read = (pages: readonly number[]) => readPages(database, first, pages);
    return { id: saved, log: namespace, change, count, pages: undamaged(first, last), read };
  });
}

async function readPages(
  database: Database,
  first: number,
  pages: readonly number[],
): Promise<Map<number, Uint8Array>> {
  const sql = `SELECT place, bytes, checksum FROM keepsake_pages WHERE place IN (SELECT value + ? FROM json_each(?))`;
  const rows: PageRow[] = [];
  for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
    const some = JSON.stringify(pages.slice(from, from + PAGES_AT_ONCE));
    rows.push(...(await database.read((connection) => connection.all<PageRow>(sql, first, some))));
  }
  return undamaged(first, rows);
}

function undamaged(first: number, rows: readonly PageRow[]): Map<number, Uint8Array> {
  const whole = rows.filter(({ bytes, checksum }) => crc32(bytes) === checksum);
  return new Map(whole.map(({ place, bytes }) => [place - first, bytes]));
}

function findIndex(connection: Connection, path: Namespace, variant: string): IndexRow | undefined {
  const row = findNamespace(connection, path);
  const sql = `SELECT saved, namespace, change FROM keepsake_indexes
    WHERE namespace = ? AND variant = ? AND change IS NOT NULL ORDER BY saved DESC`;
  return row && connection.first<IndexRow>(sql, row.namespace, variant);
}

/** Begins to save an index, unless another process is at it, or has saved one with changes after `knownChange`. */
export async function writeIndex(
  database: Database,
  path: Namespace,
  variant: string,
  knownChange: number,
): Promise<IndexWriter | undefined> {
  const saved = await database.write((connection) => begin(connection, path, variant, knownChange));
  if (saved === undefined) return undefined;
  let page = saved * 2 ** PAGE_BITS;
  const discard = async () => {
    await database.write((connection) => connection.run('DELETE FROM keepsake_indexes WHERE saved = ?', saved));
    await removeOldPages(database);
  };
  return {
    write: (pages) =>
      database.write((connection) => {
        const touch = 'UPDATE keepsake_indexes SET written_ms = ? WHERE saved = ?';
        if (connection.run(touch, Date.now(), saved) === 0) throw taken();
        for (const bytes of pages) {
          connection.run('INSERT INTO keepsake_pages VALUES (?, ?, ?)', page++, bytes, crc32(bytes));
        }
      }),
    publish: async (position) => {
      await database.write((connection) => publish(connection, saved, position));
      await removeOldPages(database);
    },
    discard,
  };
}

function begin(connection: Connection, path: Namespace, variant: string, knownChange: number): number | undefined {
  const row = findNamespace(connection, path);
  if (row === undefined) return undefined;
  const leasedSince = Date.now() - LEASE_MS;
  const others = `SELECT 1 FROM keepsake_indexes
    WHERE namespace = ? AND variant = ? AND (change > ? OR change IS NULL AND written_ms >= ?)`;
  const after = Math.min(knownChange, Number.MAX_SAFE_INTEGER);
  if (connection.first(others, row.namespace, variant, after, leasedSince) !== undefined) return undefined;
  // Only now: the pages of those that have ended are removed once this one is saved.
  const ended = 'DELETE FROM keepsake_indexes WHERE namespace = ? AND change IS NULL AND written_ms < ?';
  connection.run(ended, row.namespace, leasedSince);
  const sql = 'INSERT INTO keepsake_indexes (namespace, variant, written_ms) VALUES (?, ?, ?) RETURNING saved';
  return connection.first<{ saved: number }>(sql, row.namespace, variant, Date.now())?.saved;
}

/** Replaces the index before. Refuses one of a namespace before it was emptied, or with words of deletions that were forgotten since. */
function publish(connection: Connection, saved: number, { log, change }: Pick<SavedIndex, 'log' | 'change'>): void {
  const sql = `UPDATE keepsake_indexes SET change = ? WHERE saved = ? AND namespace IN (
      SELECT namespace FROM keepsake_namespaces WHERE namespace = ? AND forgotten <= ?
    )`;
  if (connection.run(sql, change, saved, Number(log), change) === 0) throw taken();
  const others = `DELETE FROM keepsake_indexes WHERE change IS NOT NULL AND saved <> ? AND (namespace, variant) IN (
      SELECT namespace, variant FROM keepsake_indexes WHERE saved = ?
    )`;
  connection.run(others, saved, saved);
}

function taken(): MemoryError {
  return new MemoryError('CONFLICT', 'The namespace was cleared or compacted while its index was saved.');
}

const LAST_CHANGE = `(SELECT max(change) FROM keepsake_records r WHERE r.namespace = keepsake_namespaces.namespace)`;
/** Namespaces of which an index with something from before could still be saved. */
const BEHIND = `forgotten < ${LAST_CHANGE}`;

/** Forgets what was deleted: the ids that tell others of it, and the saved indexes, which have its words. */
export async function forgetDeleted(database: Database): Promise<void> {
  while (await database.write(forgetDeletions)) {}
  const isBehind = await database.read((connection) =>
    connection.first(`SELECT 1 FROM keepsake_namespaces WHERE ${BEHIND}`),
  );
  if (isBehind !== undefined) {
    const raise = `UPDATE keepsake_namespaces SET forgotten = ${LAST_CHANGE} WHERE ${BEHIND}`;
    await database.write((connection) => connection.run(raise));
  }
  // Even a removal of nothing would write.
  const sql = 'SELECT 1 FROM keepsake_indexes UNION ALL SELECT 1 FROM keepsake_pages';
  if ((await database.read((connection) => connection.first(sql))) === undefined) return;
  await database.write((connection) => connection.run('DELETE FROM keepsake_indexes'));
  await removeOldPages(database);
}

async function removeOldPages(database: Database): Promise<void> {
  while (!(await database.write((connection) => removePages(connection, performance.now() + STEP_MS)))) {}
}
