import { LruMap } from '@keepsake/internal';
import { LATIN_LANGUAGES } from '@keepsake/search';
import { type Corpus, MAX_SPEAKERS, WorkSteps } from '@keepsake/search/remote';
import { liveIn, nowOf } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { Values } from '../database/statement.ts';
import { fromStorable } from '../database/storable-text.ts';
import type { NamespaceKey } from './namespace-key.ts';

/** What ranking needs to know about all indexed records of a namespace. */
export interface CorpusStats extends Omit<Corpus, 'cosines'> {
  /** The database's time, against which records are dated. */
  readonly now: Date;
}

/** Up to this many records are counted at each search. For more, a recent count is close enough. */
const SMALL = 2_000;
const MAX_AGE_MS = 60_000;

/** In how many namespaces a process remembers a count. */
const MOST_NAMESPACES = 1_000;

interface Count {
  stats?: CorpusStats;
  /** When it was made, by `performance.now()`. */
  at: number;
}

/** By database, not by store: a server may open a store for every request. */
const counts = new WeakMap<Database, LruMap<string, Count>>();

function countOf(database: Database, { key }: NamespaceKey): Count {
  const ofDatabase = counts.get(database) ?? new LruMap<string, Count>(MOST_NAMESPACES);
  counts.set(database, ofDatabase);
  return ofDatabase.getOrCreate(key, () => ({ at: 0 }));
}

/** Counts the records of a namespace, unless a recent count is close enough. */
export async function readCorpusStats(
  database: Database,
  namespace: NamespaceKey,
  signal?: AbortSignal,
): Promise<CorpusStats> {
  const last = countOf(database, namespace);
  const age = performance.now() - last.at;
  if (last.stats !== undefined && age < MAX_AGE_MS) {
    return { ...last.stats, now: new Date(last.stats.now.getTime() + age) };
  }
  const [languages, speakers] =
    database.dialect === 'sqlite'
      ? await readInSteps(database, namespace, signal)
      : await Promise.all([readLanguages(database, namespace, signal), readSpeakers(database, namespace, signal)]);
  const stats = toStats(languages, speakers);
  if (stats.lengths.documents > SMALL) Object.assign(last, { stats, at: performance.now() });
  else delete last.stats;
  return stats;
}

/** Has the records of a namespace, and with `descendants` of all others too, counted at the next search. */
export function forgetCorpusStats(database: Database, namespace: NamespaceKey, descendants: boolean): void {
  if (descendants) counts.delete(database);
  else delete countOf(database, namespace).stats;
}

interface LanguageRow {
  readonly language: string;
  readonly records: unknown;
  readonly words: unknown;
  readonly squares: unknown;
  readonly now: unknown;
}

interface SpeakerRow {
  readonly speaker: string;
  readonly records: unknown;
}

/** SQLite works in the process that calls it: it counts this many records at a time. */
const COUNTED_AT_ONCE = 2_048;

interface GroupRow extends LanguageRow, SpeakerRow {
  /** The last record of the group, and how many were read for it. */
  readonly last: unknown;
  readonly read: unknown;
}

/** Both for SQLite. A language or a speaker has a row for each step and group. */
async function readInSteps(
  database: Database,
  { key }: NamespaceKey,
  signal: AbortSignal | undefined,
): Promise<readonly [readonly LanguageRow[], readonly SpeakerRow[]]> {
  const steps = new WorkSteps(signal);
  const found: GroupRow[] = [];
  for (let after = 0; ; ) {
    const values = new Values(database.dialect);
    const sql = `SELECT "language", "speaker", sum(live) AS "records", sum(live * "word_count") AS "words",
        sum(live * "word_count" * "word_count") AS "squares", ${nowOf(database.dialect)} AS "now",
        max("seq") AS "last", count(*) AS "read"
      FROM (
        SELECT "seq", "language", "speaker", "word_count", "language" IS NOT NULL AND ${liveIn(database.dialect)} AS live
        FROM "keepsake_records" WHERE "namespace_key" = ${values.text(key)} AND "seq" > ${values.whole(after)}
        ORDER BY "seq" LIMIT ${COUNTED_AT_ONCE}
      ) GROUP BY "language", "speaker"`;
    const rows = await database.readRows<GroupRow>({ sql, values }, signal);
    found.push(...rows.filter(({ records }) => Number(records) > 0));
    const read = rows.reduce((sum, row) => sum + Number(row.read), 0);
    if (read < COUNTED_AT_ONCE) return [found, found.filter(({ speaker }) => speaker !== null)];
    after = Math.max(...rows.map(({ last }) => Number(last)));
    if (steps.isDue) await steps.pause();
  }
}

function readLanguages(database: Database, { key }: NamespaceKey, signal?: AbortSignal): Promise<LanguageRow[]> {
  const values = new Values(database.dialect);
  const sql = `SELECT "language", count(*) AS "records", sum("word_count") AS "words",
      sum(CAST("word_count" AS bigint) * "word_count") AS "squares", ${nowOf(database.dialect)} AS "now"
    FROM "keepsake_records"
    WHERE "namespace_key" = ${values.text(key)} AND "language" IS NOT NULL AND ${liveIn(database.dialect)}
    GROUP BY "language"`;
  return database.readRows({ sql, values }, signal);
}

function readSpeakers(database: Database, { key }: NamespaceKey, signal?: AbortSignal): Promise<SpeakerRow[]> {
  const values = new Values(database.dialect);
  const sql = `SELECT "speaker", count(*) AS "records" FROM "keepsake_records"
    WHERE "namespace_key" = ${values.text(key)} AND "speaker" IS NOT NULL AND "language" IS NOT NULL
      AND ${liveIn(database.dialect)}
    GROUP BY "speaker" ORDER BY "speaker" LIMIT ${MAX_SPEAKERS + 1}`;
  return database.readRows({ sql, values }, signal);
}

function toStats(languages: readonly LanguageRow[], speakers: readonly SpeakerRow[]): CorpusStats {
  const sum = (column: 'records' | 'words' | 'squares') => languages.reduce((all, row) => all + Number(row[column]), 0);
  const counts = countedBy(languages, ({ language }) => language);
  return {
    lengths: { documents: sum('records'), total: sum('words'), squares: sum('squares') },
    languages: new Map(LATIN_LANGUAGES.map((language) => [language, counts.get(language) ?? 0])),
    speakers: countedBy(speakers, ({ speaker }) => fromStorable(speaker)),
    now: new Date(Number(languages[0]?.now ?? 0)),
  };
}

function countedBy<Row extends { readonly records: unknown }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + Number(row.records));
  return counts;
}
