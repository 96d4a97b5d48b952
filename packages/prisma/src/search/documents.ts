import { blockOf, firstDocumentOf, placeOf } from '@keepsake/search/remote';
import { rowsOf, type Values } from '../database/statement.ts';
import type { PackedWords } from './packed-words.ts';

/** Where a record is: in a block of the index, or, by its number, in none. */
export type Document = { readonly block: number; readonly place: number } | { readonly seq: number };

/** The record that the scorer knows by a number. */
export function documentOf({ restBlock, rest }: PackedWords, document: number): Document {
  const [block, place] = [blockOf(document), placeOf(document)];
  return block < restBlock ? { block, place } : { seq: rest[document - firstDocumentOf(restBlock)] as number };
}

/** A query for the numbers of records, as `seq`, with their position in the list, as `n`. */
export function documentRows(documents: readonly Document[], key: string, values: Values): string {
  const rows = documents.map((one, n) => ('seq' in one ? [n, null, null, one.seq] : [n, one.block, one.place, null]));
  return `SELECT d.n, coalesce(d."seq", b."seqs"[d.place + 1]) AS "seq"
    FROM (${rowsOf('postgresql', rows, ['integer', 'integer', 'integer', 'bigint'], values)}) AS d (n, block, place, "seq")
    LEFT JOIN "keepsake_blocks" AS b
      ON b."number" = (SELECT "number" FROM "keepsake_indexes" WHERE "namespace_key" = ${key}) AND b."block" = d.block`;
}
