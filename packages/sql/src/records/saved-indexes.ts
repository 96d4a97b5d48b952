import { crc32 } from 'node:zlib';
import { MemoryError } from '@keepsake/core';
import type { IndexWriter, SavedIndex } from '@keepsake/search';
import { nowOf } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { Values } from '../database/statement.ts';
import type { NamespaceKey } from './namespace-key.ts';
import { isHere } from './namespaces.ts';
import { readBytes } from './record-rows.ts';

/** After this time without another page, the process that writes an index has ended. */
const LEASE_MS = 30_000;
/** How many of the last pages are read with an index. */
const LAST_PAGES = 32;

interface PageRow {
  readonly page: unknown;
  readonly bytes: string;
  readonly checksum: unknown;
}

interface IndexRow extends PageRow {
  readonly saved: unknown;
  readonly namespace: unknown;
  readonly change: unknown;
}

/** The saved index of a variant. */
export async function readIndex(
  database: Database,
  namespace: NamespaceKey,
  variant: string,
): Promise<SavedIndex | undefined> {
  const { dialect } = database;
  const values = new Values(dialect);
  const sql = `SELECT i.saved, i.namespace, i.change, ${pageIn(dialect)}
    FROM (
      SELECT saved, namespace, change FROM keepsake_indexes
      WHERE namespace = (SELECT number FROM keepsake_namespaces WHERE ${isHere(namespace, values)})
        AND variant = ${values.text(variant)} AND change IS NOT NULL ORDER BY saved DESC LIMIT 1
    ) AS i JOIN keepsake_pages AS p ON p.saved = i.saved ORDER BY p.page DESC LIMIT ${LAST_PAGES}`;
  const rows = await database.readRows<IndexRow>({ sql, values, isFixed: true });
  const [last] = rows;
  if (last === undefined) return undefined;
  const id = Number(last.saved);
  return {
    ...{ id, log: Number(last.namespace), change: Number(last.change), count: Number(last.page) + 1 },
    pages: undamaged(dialect, rows),
    read: (pages) => readPages(database, id, pages),
  };
}

async function readPages(
  database: Database,
  saved: number,
  pages: readonly number[],
): Promise<Map<number, Uint8Array>> {
  const { dialect } = database;
  const values = new Values(dialect);
  const list = values.text(JSON.stringify(pages));
  const numbers =
    dialect === 'postgresql'
      ? `SELECT value::integer FROM json_array_elements_text(${list}::json)`
      : `SELECT value FROM json_each(${list})`;
  const sql = `SELECT ${pageIn(dialect)} FROM keepsake_pages AS p WHERE p.saved = ${values.whole(saved)} AND p.page IN (${numbers})`;
  return undamaged(dialect, await database.readRows<PageRow>({ sql, values, isFixed: true }));
}

function pageIn(dialect: Dialect): string {
  return `p.page, ${dialect === 'postgresql' ? `encode(p.bytes, 'base64')` : 'hex(p.bytes)'} AS bytes, p.checksum`;
}

function undamaged(dialect: Dialect, rows: readonly PageRow[]): Map<number, Uint8Array> {
  const pages = rows.map(({ page, bytes, checksum }) => ({ page, checksum, bytes: readBytes(dialect, bytes) }));
  const whole = pages.filter(({ bytes, checksum }) => crc32(bytes) === Number(checksum));
  return new Map(whole.map(({ page, bytes }) => [Number(page), bytes]));
}

/** Begins to save an index, unless another process is at it, or has saved one with changes after `knownChange`. */
export async function writeIndex(
  database: Database,
  namespace: NamespaceKey,
  variant: string,
  knownChange: number,
): Promise<IndexWriter | undefined> {
  // It is no part of what the caller's transaction does, which others may wait for.
  if (database.isTransaction) return undefined;
  const saved = await begin(database, namespace, variant, knownChange);
  if (saved === undefined) return undefined;
  let page = 0;
  return {
    async write(pages) {
      await writePages(database, saved, page, pages);
      page += pages.length;
    },
    publish: (position) => publish(database, saved, position),
    async discard() {
      const values = new Values(database.dialect);
      await database.countWritten({
        sql: `DELETE FROM keepsake_indexes WHERE saved = ${values.whole(saved)}`,
        values,
      });
    },
  };
}

async function begin(
  database: Database,
  namespace: NamespaceKey,
  variant: string,
  knownChange: number,
): Promise<number | undefined> {
  const { dialect } = database;
  const ended = new Values(dialect);
  const isOwn = (values: Values) =>
    `namespace = (SELECT number FROM keepsake_namespaces WHERE ${isHere(namespace, values)}) AND variant = ${values.text(variant)}`;
  await database.countWritten({
    sql: `DELETE FROM keepsake_indexes WHERE ${isOwn(ended)} AND change IS NULL AND written_ms < ${nowOf(dialect)} - ${LEASE_MS}`,
    values: ended,
  });
  const values = new Values(dialect);
  const sql = `INSERT INTO keepsake_indexes (namespace, variant, written_ms)
    SELECT number, ${values.text(variant)}, ${nowOf(dialect)} FROM keepsake_namespaces
    WHERE ${isHere(namespace, values)} AND NOT EXISTS (
      SELECT 1 FROM keepsake_indexes WHERE ${isOwn(values)} AND change > ${values.whole(Math.min(knownChange, Number.MAX_SAFE_INTEGER))}
    )
    ON CONFLICT DO NOTHING RETURNING saved`;
  const [row] = await database.writeRows<{ readonly saved: unknown }>({ sql, values });
  return row && Number(row.saved);
}

/** @throws MemoryError `CONFLICT` if the index was removed meanwhile. */
async function writePages(
  database: Database,
  saved: number,
  first: number,
  pages: readonly Uint8Array[],
): Promise<void> {
  const { dialect } = database;
  const touched = new Values(dialect);
  await database.countWritten({
    sql: `UPDATE keepsake_indexes SET written_ms = ${nowOf(dialect)} WHERE saved = ${touched.whole(saved)}`,
    values: touched,
  });
  const values = new Values(dialect);
  const rows = pages.map(
    (bytes, place) =>
      `(${values.whole(first + place)}, ${values.text(Buffer.from(bytes).toString('hex'))}, ${values.whole(crc32(bytes))})`,
  );
  const [decode, lock] =
    dialect === 'postgresql' ? [`decode(column2, 'hex')`, 'FOR UPDATE OF i'] : ['unhex(column2)', ''];
  // Who removes the index waits for the pages, and then removes them, too.
  const sql = `INSERT INTO keepsake_pages (saved, page, bytes, checksum)
    SELECT i.saved, CAST(column1 AS integer), ${decode}, column3
    FROM keepsake_indexes AS i, (VALUES ${rows.join(', ')}) AS p WHERE i.saved = ${values.whole(saved)} AND i.change IS NULL ${lock}`;
  expectOwn(await database.countWritten({ sql, values }), pages.length);
}

/** Replaces the index before. Refuses one of a namespace before it was emptied, or with words of deletions that were forgotten since. */
async function publish(
  database: Database,
  saved: number,
  { log, change }: Pick<SavedIndex, 'log' | 'change'>,
): Promise<void> {
  const { dialect } = database;
  const values = new Values(dialect);
  const sql = `UPDATE keepsake_indexes SET change = ${values.whole(change)} WHERE saved = ${values.whole(saved)} AND namespace IN (
      SELECT number FROM keepsake_namespaces WHERE number = ${values.whole(Number(log))} AND forgotten <= ${values.whole(change)}
    )`;
  expectOwn(await database.countWritten({ sql, values }));
  const others = new Values(dialect);
  await database.countWritten({
    sql: `DELETE FROM keepsake_indexes WHERE change IS NOT NULL AND saved < ${others.whole(saved)} AND (namespace, variant) IN (
        SELECT namespace, variant FROM keepsake_indexes WHERE saved = ${others.whole(saved)}
      )`,
    values: others,
  });
}

function expectOwn(count: number, expected = 1): void {
  if (count === expected) return;
  throw new MemoryError('CONFLICT', 'The namespace was cleared or compacted while its index was saved.');
}

/** Removes the saved indexes of a namespace, and those that are being written. */
export async function removeIndexes(database: Database, namespace: NamespaceKey): Promise<void> {
  const values = new Values(database.dialect);
  const sql = `DELETE FROM keepsake_indexes
    WHERE namespace = (SELECT number FROM keepsake_namespaces WHERE ${isHere(namespace, values)})`;
  await database.countWritten({ sql, values });
}
