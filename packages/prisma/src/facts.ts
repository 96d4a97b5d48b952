import { hostedSpeaker, LATIN_LANGUAGES, type LatinLanguage, type LengthNorm, lengthNorm } from '@keepsake/search';
import type { Database } from './database.ts';
import { liveIn } from './record-rows.ts';
import { readRows, Values } from './statement.ts';
import { fromStorable } from './storable-text.ts';
import type { Place } from './tokens.ts';

/** What a ranking needs to know about all indexed records of a namespace. */
export interface Facts {
  readonly records: number;
  /** How long they are, and how much that varies. */
  readonly lengths: LengthNorm;
  /** The most frequent first. */
  readonly languages: readonly LatinLanguage[];
  readonly speakers: readonly string[];
  /** By each term of a name: how many records are by speakers with that name. */
  readonly named: ReadonlyMap<string, number>;
}

/** With more speakers, names tell nothing. */
const MOST_SPEAKERS = 200;
/** Up to this many records are counted at each search. For more, a recent count is near enough. */
const FEW = 2_000;
const WHILE_MS = 60_000;

/** Counts the records of a namespace, unless a recent count is near enough. */
export class FactsReader {
  #known: { readonly facts: Facts; readonly at: number } | undefined;

  async read(database: Database, place: Place): Promise<Facts> {
    const known = this.#known;
    if (known !== undefined && known.facts.records > FEW && performance.now() - known.at < WHILE_MS) return known.facts;
    const [languages, speakers] = await Promise.all([readLanguages(database, place), readSpeakers(database, place)]);
    const facts = toFacts(languages, speakers);
    this.#known = { facts, at: performance.now() };
    return facts;
  }
}

interface LanguageRow {
  readonly language: string;
  readonly records: unknown;
  readonly words: unknown;
  readonly squares: unknown;
}

interface SpeakerRow {
  readonly speaker: string;
  readonly records: unknown;
}

function readLanguages(database: Database, { key }: Place): Promise<LanguageRow[]> {
  const values = new Values(database.dialect);
  const sql = `SELECT "language", count(*) AS "records", sum("word_count") AS "words",
      sum(CAST("word_count" AS bigint) * "word_count") AS "squares"
    FROM "keepsake_records"
    WHERE "namespace_key" = ${values.text(key)} AND "language" IS NOT NULL AND ${liveIn(database.dialect)}
    GROUP BY "language"`;
  return readRows(database, { sql, values });
}

function readSpeakers(database: Database, { key }: Place): Promise<SpeakerRow[]> {
  const values = new Values(database.dialect);
  const sql = `SELECT "speaker", count(*) AS "records" FROM "keepsake_records"
    WHERE "namespace_key" = ${values.text(key)} AND "speaker" IS NOT NULL AND "language" IS NOT NULL
      AND ${liveIn(database.dialect)}
    GROUP BY "speaker" ORDER BY "speaker" LIMIT ${MOST_SPEAKERS + 1}`;
  return readRows(database, { sql, values });
}

function toFacts(languages: readonly LanguageRow[], speakers: readonly SpeakerRow[]): Facts {
  const sum = (column: 'records' | 'words' | 'squares') => languages.reduce((all, row) => all + Number(row[column]), 0);
  const counts = new Map(languages.map(({ language, records }) => [language, Number(records)]));
  const count = (language: string) => counts.get(language) ?? 0;
  const few = speakers.length > MOST_SPEAKERS ? [] : speakers;
  const named = new Map<string, number>();
  for (const { speaker, records } of few) {
    for (const name of hostedSpeaker(fromStorable(speaker))) named.set(name, (named.get(name) ?? 0) + Number(records));
  }
  return {
    records: sum('records'),
    lengths: lengthNorm({ documents: sum('records'), total: sum('words'), squares: sum('squares') }),
    languages: LATIN_LANGUAGES.filter((language) => count(language) > 0).sort((a, b) => count(b) - count(a)),
    speakers: few.map(({ speaker }) => fromStorable(speaker)),
    named,
  };
}
