import { blockOf, firstDocumentOf, placeOf } from '@keepsake/search/remote';
import type { Dialect } from '../database/dialect.ts';
import { rowsOf, type Values } from '../database/statement.ts';

/** Where a record is: in a block of the index, or, by its number, in none. On SQLite, records are known by their numbers. */
export type Document = { readonly block: number; readonly place: number } | { readonly seq: number };

/**
 * Says which record the scorer knows by a number, on PostgreSQL: it numbers the records in blocks first, then the `rest`, in
 * their order, from the first document of `restBlock`.
 */
export function documentsOf(restBlock: number, rest: readonly number[]): (document: number) => Document {
  return (document) => {
    const [block, place] = [blockOf(document), placeOf(document)];
    return block < restBlock ? { block, place } : { seq: rest[document - firstDocumentOf(restBlock)] as number };
  };
}

/** A query for the numbers of records, as `seq`, with their position in the list, as `n`. */
export function documentRows(dialect: Dialect, documents: readonly Document[], key: string, values: Values): string {
  const rows = documents.map((one, n) => ('seq' in one ? [n, null, null, one.seq] : [n, one.block, one.place, null]));
  const given = rowsOf(dialect, rows, ['integer', 'integer', 'integer', 'bigint'], values);
  if (dialect === 'sqlite') return `WITH d(n, block, place, "seq") AS (${given}) SELECT n, "seq" FROM d`;
  return `SELECT d.n, coalesce(d."seq", b."seqs"[d.place + 1]) AS "seq"
    FROM (${given}) AS d (n, block, place, "seq")
    LEFT JOIN "keepsake_blocks" AS b
      ON b."number" = (SELECT "number" FROM "keepsake_indexes" WHERE "namespace_key" = ${key}) AND b."block" = d.block`;
}
