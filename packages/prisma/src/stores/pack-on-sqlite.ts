import { placeOf, postingOf, quantizedFrequency, WorkSteps } from '@keepsake/search/remote';
import { liveIn } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { Values } from '../database/statement.ts';
import { type NamespaceKey, termOf } from './namespace-key.ts';

/*
 * SQLite works in the process that calls it, so that each statement here is short. What a block gets is read in several
 * statements. From the moment that a block is planned, triggers note the records in it that change, and no search reads those
 * from the block. So it does not matter when a record is read.
 */

/** How many records a block has. Writing it takes one statement. */
const BLOCK_RECORDS = 1_024;
const BLOCK_WORDS = 32_768;
/** How many records are read at a time. */
const READ_AT_ONCE = 256;
/** Without blocks if there are more numbers than this for each record: other namespaces have most of them. */
const SPREAD = 64;

/** A block to write. */
interface BlockRow {
  readonly number: unknown;
  readonly block: unknown;
  /** How often it was written. */
  readonly writes: unknown;
  /** Its records are those after this one, up to `last_seq`. */
  readonly after_seq: unknown;
  readonly last_seq: unknown;
  /** How many changes of the namespace were noted so far. */
  readonly changes: unknown;
}

/** Does one step of the work on the words of a namespace, as `keepsake_pack` does on PostgreSQL. */
export async function packOnSqlite(database: Database, namespace: NamespaceKey, mostChanged: number): Promise<boolean> {
  const block =
    (await readPlanned(database, namespace)) ??
    ((await plan(database, namespace)) ? await readPlanned(database, namespace) : undefined) ??
    (await readChanged(database, namespace, mostChanged));
  if (block === undefined) return false;
  await writeBlock(database, block, await readPostings(database, namespace, block));
  return true;
}

/** The block after the last one, if it is planned. */
async function readPlanned(database: Database, { key }: NamespaceKey): Promise<BlockRow | undefined> {
  const values = new Values(database.dialect);
  const sql = `SELECT i."number" AS "number", i."blocks" AS "block", b."writes" AS "writes", i."packed_seq" AS "after_seq",
      b."last_seq" AS "last_seq", i."changes" AS "changes"
    FROM "keepsake_indexes" i CROSS JOIN "keepsake_blocks" b ON b."number" = i."number" AND b."block" = i."blocks"
    WHERE i."namespace_key" = ${values.text(key)}`;
  const [row] = await database.readRows<BlockRow>({ sql, values });
  return row;
}

/** Plans the next block, if there are enough records for it. */
async function plan(database: Database, namespace: NamespaceKey): Promise<boolean> {
  const next = await readNext(database, namespace);
  if (next === undefined) return false;
  const index = new Values(database.dialect);
  const sql = `INSERT OR IGNORE INTO "keepsake_indexes" ("namespace_key") VALUES (${index.text(namespace.key)})`;
  await database.countWritten({ sql, values: index });
  const values = new Values(database.dialect);
  const block = `INSERT OR IGNORE INTO "keepsake_blocks" ("number", "block", "last_seq")
    SELECT "number", "blocks", ${values.whole(next.last)} FROM "keepsake_indexes"
    WHERE "namespace_key" = ${values.text(namespace.key)} AND "packed_seq" = ${values.whole(next.after)}`;
  await database.countWritten({ sql: block, values });
  return true;
}

interface NextRow {
  readonly after: unknown;
  readonly first: unknown;
  /** `null` if there are not enough records. */
  readonly end: unknown;
  readonly last: unknown;
}

/**
 * The range of the next block: `BLOCK_RECORDS` records, or fewer once they have `BLOCK_WORDS` words. It ends where the upper
 * bits of their numbers change. `undefined` if there are not enough records for a block.
 */
async function readNext(
  database: Database,
  { key }: NamespaceKey,
): Promise<{ readonly after: number; readonly last: number } | undefined> {
  const values = new Values(database.dialect);
  const sql = `WITH packed("seq") AS MATERIALIZED (
      SELECT coalesce((SELECT "packed_seq" FROM "keepsake_indexes" WHERE "namespace_key" = ${values.text(key)}), 0)
    ),
    coming("seq", "word_count") AS MATERIALIZED (
      SELECT "seq", "word_count" FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(key)} AND "seq" > (SELECT "seq" FROM packed)
      ORDER BY "seq" LIMIT ${BLOCK_RECORDS}
    ),
    bounds(first, "end") AS MATERIALIZED (
      SELECT (SELECT min("seq") FROM coming), (
        SELECT min("seq") FROM (
          SELECT "seq", count(*) OVER until_here AS records, sum("word_count") OVER until_here AS words
          FROM coming WINDOW until_here AS (ORDER BY "seq")
        ) WHERE records >= ${BLOCK_RECORDS} OR words >= ${BLOCK_WORDS}
      )
    )
    SELECT (SELECT "seq" FROM packed) AS "after", first AS "first", "end" AS "end", (
      SELECT max("seq") FROM coming WHERE "seq" <= "end" AND "seq" >> 13 = first >> 13
    ) AS "last"
    FROM bounds`;
  const [row] = await database.readRows<NextRow>({ sql, values });
  if (row === undefined || row.end === null) return undefined;
  const isThin = Number(row.end) - Number(row.first) > SPREAD * BLOCK_RECORDS;
  return isThin ? undefined : { after: Number(row.after), last: Number(row.last) };
}

/** The block in which most records have changed, if more than `mostChanged` in the namespace have. */
async function readChanged(
  database: Database,
  { key }: NamespaceKey,
  mostChanged: number,
): Promise<BlockRow | undefined> {
  const values = new Values(database.dialect);
  const sql = `WITH written AS MATERIALIZED (
      SELECT b.*, i."changes", coalesce(lag(b."last_seq") OVER (ORDER BY b."block"), 0) AS "after_seq"
      FROM "keepsake_indexes" i CROSS JOIN "keepsake_blocks" b ON b."number" = i."number" AND b."block" < i."blocks"
      WHERE i."namespace_key" = ${values.text(key)} AND (
        SELECT count(*) FROM "keepsake_unpacked" u WHERE u."number" = i."number"
      ) > ${values.whole(mostChanged)}
    )
    SELECT * FROM (
      SELECT w.*, (
        SELECT count(*) FROM "keepsake_unpacked" u
        WHERE u."number" = w."number" AND u."seq" > w."after_seq" AND u."seq" <= w."last_seq"
      ) AS "changed"
      FROM written w
    ) WHERE "changed" > 0 ORDER BY "changed" DESC LIMIT 1`;
  const [row] = await database.readRows<BlockRow>({ sql, values });
  return row;
}

interface TextsRow {
  /** A record in each line: its number, its length, and its words. `null` if there are none. */
  readonly texts: string | null;
}

/** The postings of a block by term. */
async function readPostings(
  database: Database,
  { key }: NamespaceKey,
  { after_seq, last_seq }: BlockRow,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const steps = new WorkSteps(undefined);
  const postings = new Map<string, number[]>();
  for (let after = Number(after_seq); ; ) {
    const values = new Values(database.dialect);
    // One row, because a driver takes longer for many.
    const sql = `SELECT group_concat("seq" || ' ' || "word_count" || ' ' || "words", char(10)) AS "texts" FROM (
        SELECT "seq", "words", "word_count" FROM "keepsake_records"
        WHERE "namespace_key" = ${values.text(key)} AND "seq" > ${values.whole(after)} AND "seq" <= ${values.whole(Number(last_seq))}
          AND "words" IS NOT NULL AND ${liveIn(database.dialect)}
        ORDER BY "seq" LIMIT ${READ_AT_ONCE}
      )`;
    const [row] = await database.readRows<TextsRow>({ sql, values });
    const lines = row?.texts?.split('\n') ?? [];
    for (const line of lines) after = addPostings(postings, line);
    if (lines.length < READ_AT_ONCE) return postings;
    if (steps.isDue) await steps.pause();
  }
}

/** Adds those of a record, and returns its number. */
function addPostings(postings: Map<string, number[]>, line: string): number {
  const [seq, length, ...words] = line.split(' ');
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  for (const [word, count] of times) {
    const term = termOf(word);
    const posting = postingOf(placeOf(Number(seq)), quantizedFrequency(count, Number(length)));
    const known = postings.get(term);
    if (known === undefined) postings.set(term, [...posting]);
    else known.push(...posting);
  }
  return Number(seq);
}

async function writeBlock(
  database: Database,
  { number, block, writes, after_seq, last_seq, changes }: BlockRow,
  postings: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  // In the order of the table.
  const terms = [...postings.keys()].sort();
  const lists = terms.map((term) => [term, Buffer.from(postings.get(term) ?? []).toString('hex')]);
  const values = new Values(database.dialect);
  const numbers = [number, block, writes, after_seq, last_seq, changes].map((one) => values.whole(Number(one)));
  const sql = `INSERT INTO "keepsake_block_writes" ("number", "block", "writes", "after_seq", "last_seq", "changes", "postings")
    VALUES (${numbers.join(', ')}, ${values.text(JSON.stringify(lists))})`;
  await database.countWritten({ sql, values });
}
