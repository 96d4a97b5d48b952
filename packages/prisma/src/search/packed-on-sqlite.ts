import {
  blockOf,
  mergedPostings,
  type PlacesByBlock,
  placeOf,
  type WorkSteps,
  withoutPlaces,
} from '@keepsake/search/remote';
import { liveIn, nowOf } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { rowsOf, Values } from '../database/statement.ts';
import { type NamespaceKey, termOf } from '../stores/namespace-key.ts';
import type { Feature } from './features.ts';
import { addRest, getOrCreate, type PackedWords, type RestRow } from './packed-words.ts';
import { countedInTexts } from './scoring-steps.ts';
import { wordLists } from './word-lists.ts';

/** The full-text index reads this many records with a word as fast as blocks are read. */
const FEW = 1_000;
/** Without blocks if more records than this are in none. */
const MOST_UNREAD = 4_096;
/** How many postings lists a statement looks for. */
const LISTS_AT_ONCE = 1_024;

/** How a namespace should be searched for some features. */
interface PackedState {
  /** Whether the full-text index is faster, because few records have a word. */
  readonly isRare: boolean;
  /** Whether the blocks can be used: there are some, and few records are in none. */
  readonly isPacked: boolean;
}

interface StateRow {
  readonly matches: unknown;
  readonly few: unknown;
  readonly blocks: unknown;
  readonly unread: unknown;
}

export async function readState(
  database: Database,
  namespace: NamespaceKey,
  features: readonly Feature[],
  signal: AbortSignal | undefined,
): Promise<PackedState> {
  const values = new Values(database.dialect);
  const { tokens } = wordLists(namespace, features);
  const key = values.text(namespace.key);
  const words = rowsOf(
    database.dialect,
    tokens.map((token) => [token]),
    ['text'],
    values,
  );
  // To look for a list in a block takes about as long as to read a record.
  const sql = `WITH state(blocks, packed, few) AS MATERIALIZED (
      SELECT coalesce(max("blocks"), 0), coalesce(max("packed_seq"), 0), max(${FEW}, coalesce(max("blocks"), 0) * ${values.whole(tokens.length)})
      FROM "keepsake_indexes" WHERE "namespace_key" = ${key}
    ),
    words(token) AS (${words})
    SELECT blocks AS "blocks", few AS "few", (
      SELECT count(*) FROM (
        SELECT 1 FROM words CROSS JOIN "keepsake_record_terms" ON "term" = token LIMIT (SELECT few + 1 FROM state)
      )
    ) AS "matches", (
      SELECT count(*) FROM (
        SELECT 1 FROM "keepsake_records" WHERE "namespace_key" = ${key} AND "seq" > (SELECT packed FROM state) LIMIT ${MOST_UNREAD + 1}
      )
    ) AS "unread" FROM state`;
  const [row] = await database.readRows<StateRow>({ sql, values }, signal);
  return {
    isRare: Number(row?.matches) <= Number(row?.few),
    isPacked: Number(row?.blocks) > 0 && Number(row?.unread) <= MOST_UNREAD,
  };
}

interface HeadRow {
  readonly number: unknown;
  readonly blocks: unknown;
  /** The records that blocks have as they no longer are. */
  readonly gone: string;
  readonly rest: string;
}

/** Reads what the index of a namespace has of some features. The number of a record is its document. */
export async function readPackedOnSqlite(
  database: Database,
  namespace: NamespaceKey,
  features: readonly Feature[],
  steps: WorkSteps,
  signal: AbortSignal | undefined,
): Promise<PackedWords | undefined> {
  const head = await readHead(database, namespace, features, signal);
  if (head === undefined) return undefined;
  const [gone, rest] = [placesOf(JSON.parse(head.gone)), JSON.parse(head.rest) as RestRow[]];
  const lists = wordLists(namespace, features);
  const found = lists.words.map(() => new Map<number, Uint8Array[]>());
  const size = Math.max(1, Math.floor(LISTS_AT_ONCE / lists.tokens.length));
  for (let from = 0; from < Number(head.blocks); from += size) {
    if (steps.isDue) await steps.pause();
    const read = await readLists(database, Number(head.number), { from, to: from + size }, lists.tokens, signal);
    for (const [word, seq, hex] of read) {
      getOrCreate(found[word] as Map<number, Uint8Array[]>, blockOf(seq), () => []).push(Buffer.from(hex, 'hex'));
    }
  }
  const postings = features.map((_, feature) => joinParts(lists.words, found, feature, gone));
  // No record is in two lists of a part.
  addRest(
    rest,
    (seq) => seq,
    (feature, block, _, list) => {
      getOrCreate(postings[feature] as Map<number, Uint8Array[]>, block, () => []).push(list);
    },
  );
  return { features: postings, documentOf: (seq) => ({ seq }), places: undefined };
}

/**
 * The postings of a feature without records that are gone: for each block, the lists of its parts.
 *
 * @param found - By word and block, the lists of consecutive records.
 */
function joinParts(
  words: ReturnType<typeof wordLists>['words'],
  found: readonly ReadonlyMap<number, readonly Uint8Array[]>[],
  ofFeature: number,
  gone: PlacesByBlock,
): Map<number, Uint8Array[]> {
  const parts = new Map<number, Map<number, Uint8Array[]>>();
  for (const [word, { feature, part }] of words.entries()) {
    if (feature !== ofFeature) continue;
    for (const [block, lists] of found[word] ?? []) {
      const [places, all] = [gone.get(block), lists.length === 1 ? (lists[0] as Uint8Array) : Buffer.concat(lists)];
      const ofBlock = getOrCreate(parts, block, () => new Map<number, Uint8Array[]>());
      getOrCreate(ofBlock, part, () => []).push(places === undefined ? all : withoutPlaces(all, new Set(places)));
    }
  }
  return new Map(Array.from(parts, ([block, lists]) => [block, Array.from(lists.values(), mergedPostings)]));
}

/** The places of records, by block. */
export function placesOf(seqs: readonly number[]): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const seq of seqs) getOrCreate(places, blockOf(seq), () => []).push(placeOf(seq));
  return places;
}

/** What the blocks can not tell: which records have changed, and the words of those and of the records after the blocks. */
async function readHead(
  database: Database,
  namespace: NamespaceKey,
  features: readonly Feature[],
  signal: AbortSignal | undefined,
): Promise<HeadRow | undefined> {
  const { dialect } = database;
  const values = new Values(dialect);
  const key = values.text(namespace.key);
  const matched = values.text(wordLists(namespace, features).tokens.join(' OR '));
  const isLive = `r."namespace_key" = ${key} AND ${liveIn(dialect, 'r')}`;
  const rest = `SELECT r.* FROM changed CROSS JOIN "keepsake_records" r ON r."seq" = changed."seq"
      WHERE r."words" IS NOT NULL AND ${isLive}
    UNION ALL SELECT r.* FROM "keepsake_record_words" f CROSS JOIN "keepsake_records" r ON r."seq" = f."rowid"
      WHERE f."words" MATCH ${matched} AND f."rowid" > (SELECT "packed_seq" FROM index_row) AND ${isLive}`;
  const sql = `WITH index_row AS MATERIALIZED (SELECT * FROM "keepsake_indexes" WHERE "namespace_key" = ${key} AND "blocks" > 0),
    changed("seq") AS MATERIALIZED (
      SELECT u."seq" FROM index_row i CROSS JOIN "keepsake_unpacked" u ON u."number" = i."number" WHERE u."seq" <= i."packed_seq"
    ),
    gone("seq") AS (
      SELECT "seq" FROM changed
      UNION SELECT r."seq" FROM index_row i CROSS JOIN "keepsake_records" r INDEXED BY "keepsake_records_expires_ms_idx"
        WHERE r."expires_ms" <= ${nowOf(dialect)} AND r."namespace_key" = ${key} AND r."seq" <= i."packed_seq"
    ),
    rest AS (${countedInTexts(rest, namespace, features, values)})
    SELECT i."number" AS "number", i."blocks" AS "blocks", (SELECT json_group_array("seq") FROM gone) AS "gone",
      (SELECT json_group_array(json_array("seq", "word_count", feature, part, times)) FROM rest) AS "rest"
    FROM index_row i`;
  const [row] = await database.readRows<HeadRow>({ sql, values }, signal);
  return row;
}

interface ListsRow {
  readonly lists: string;
}

/** The postings of words in some blocks, in hexadecimal, with a number of a record of their block, in the order of the blocks. */
async function readLists(
  database: Database,
  number: number,
  { from, to }: { readonly from: number; readonly to: number },
  tokens: readonly string[],
  signal: AbortSignal | undefined,
): Promise<(readonly [word: number, seq: number, hex: string])[]> {
  const values = new Values(database.dialect);
  const words = values.text(JSON.stringify(tokens.map(termOf)));
  const sql = `SELECT json_group_array(json_array(word, "last_seq", hex("postings"))) AS "lists" FROM (
      SELECT w."key" AS word, b."last_seq", p."postings"
      FROM "keepsake_blocks" b CROSS JOIN json_each(${words}) w
      CROSS JOIN "keepsake_postings" p ON p."number" = b."number" AND p."block" = b."block" AND p."term" = w."value"
      WHERE b."number" = ${values.whole(number)} AND b."block" >= ${values.whole(from)} AND b."block" < ${values.whole(to)}
      ORDER BY b."block"
    )`;
  const [row] = await database.readRows<ListsRow>({ sql, values }, signal);
  return JSON.parse(row?.lists ?? '[]');
}
