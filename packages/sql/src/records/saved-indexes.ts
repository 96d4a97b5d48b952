import { crc32 } from 'node:zlib';
import { MemoryError } from '@keepsake/core';
import type { IndexWriter, SavedIndex } from '@keepsake/search';
import { nowOf } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { Values } from '../database/statement.ts';
import type { NamespaceKey } from './namespace-key.ts';
import { isHere } from './namespaces.ts';
import { readBytes } from './record-rows.ts';

/** After this time without another page, the process that writes an index has ended. */
const LEASE_MS = 30_000;
/** How many pages are read at once. */
const PAGES_AT_ONCE = 16;

interface PageRow {
  readonly saved: unknown;
  readonly namespace: unknown;
  readonly change: unknown;
  readonly page: unknown;
  readonly bytes: string;
  readonly checksum: unknown;
}

/** The saved index of a variant; `undefined` if there is none, or a page of it is damaged or gone by now. */
export async function readIndex(
  database: Database,
  namespace: NamespaceKey,
  variant: string,
): Promise<SavedIndex | undefined> {
  const pages: Buffer[] = [];
  for (let first: PageRow | undefined; ; ) {
    const rows = await readPages(database, namespace, variant, pages.length);
    for (const row of rows) {
      first ??= row;
      const bytes = readBytes(database.dialect, row.bytes);
      // Another index may have taken its place meanwhile.
      const isNext = Number(row.page) === pages.length && row.saved === first.saved;
      if (!isNext || crc32(bytes) !== Number(row.checksum)) return undefined;
      pages.push(bytes);
    }
    if (first === undefined) return undefined;
    if (rows.length < PAGES_AT_ONCE) {
      return { log: Number(first.namespace), change: Number(first.change), bytes: Buffer.concat(pages) };
    }
  }
}

function readPages(database: Database, namespace: NamespaceKey, variant: string, from: number): Promise<PageRow[]> {
  const values = new Values(database.dialect);
  const bytes = database.dialect === 'postgresql' ? `encode(p.bytes, 'base64')` : 'hex(p.bytes)';
  const sql = `SELECT i.saved, i.namespace, i.change, p.page, ${bytes} AS bytes, p.checksum
    FROM (
      SELECT saved, namespace, change FROM keepsake_indexes
      WHERE namespace = (SELECT number FROM keepsake_namespaces WHERE ${isHere(namespace, values)})
        AND variant = ${values.text(variant)} AND change IS NOT NULL ORDER BY saved DESC LIMIT 1
    ) AS i JOIN keepsake_pages AS p ON p.saved = i.saved
    WHERE p.page >= ${values.whole(from)} AND p.page < ${values.whole(from + PAGES_AT_ONCE)} ORDER BY p.page`;
  return database.readRows<PageRow>({ sql, values, isFixed: true });
}

/** Begins to save an index, unless another process is at it, or has saved one with changes after `known`. */
export async function writeIndex(
  database: Database,
  namespace: NamespaceKey,
  variant: string,
  known: number,
): Promise<IndexWriter | undefined> {
  // It is no part of what the caller's transaction does, which others may wait for.
  if (database.isTransaction) return undefined;
  const saved = await begin(database, namespace, variant, known);
  if (saved === undefined) return undefined;
  let page = 0;
  return {
    async write(bytes) {
      await writePage(database, saved, page++, bytes);
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
  known: number,
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
      SELECT 1 FROM keepsake_indexes WHERE ${isOwn(values)} AND change > ${values.whole(Math.min(known, Number.MAX_SAFE_INTEGER))}
    )
    ON CONFLICT DO NOTHING RETURNING saved`;
  const [row] = await database.writeRows<{ readonly saved: unknown }>({ sql, values });
  return row && Number(row.saved);
}

/** @throws MemoryError `CONFLICT` if the index was removed meanwhile. */
async function writePage(database: Database, saved: number, page: number, bytes: Uint8Array): Promise<void> {
  const { dialect } = database;
  const touched = new Values(dialect);
  await database.countWritten({
    sql: `UPDATE keepsake_indexes SET written_ms = ${nowOf(dialect)} WHERE saved = ${touched.whole(saved)}`,
    values: touched,
  });
  const values = new Values(dialect);
  const text = values.text(Buffer.from(bytes).toString('hex'));
  // Who removes the index waits for the page, and then removes it, too.
  const sql = `INSERT INTO keepsake_pages (saved, page, bytes, checksum)
    SELECT saved, CAST(${values.whole(page)} AS integer), ${dialect === 'postgresql' ? `decode(${text}, 'hex')` : `unhex(${text})`}, ${values.whole(crc32(bytes))}
    FROM keepsake_indexes WHERE saved = ${values.whole(saved)} AND change IS NULL ${dialect === 'postgresql' ? 'FOR UPDATE' : ''}`;
  expectOwn(await database.countWritten({ sql, values, isFixed: true }));
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

function expectOwn(count: number): void {
  if (count === 1) return;
  throw new MemoryError('CONFLICT', 'The namespace was cleared or compacted while its index was saved.');
}

/** Removes the saved indexes of a namespace, and those that are being written. */
export async function removeIndexes(database: Database, namespace: NamespaceKey): Promise<void> {
  const values = new Values(database.dialect);
  const sql = `DELETE FROM keepsake_indexes
    WHERE namespace = (SELECT number FROM keepsake_namespaces WHERE ${isHere(namespace, values)})`;
  await database.countWritten({ sql, values });
}
