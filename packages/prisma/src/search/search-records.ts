import type { MemoryEntry } from '@keepsake/core';
import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import {
  analyseAhead,
  documentsByName,
  entryOf,
  type FoundWord,
  languagesOf,
  lengthNorm,
  type PoolHit,
  rankRemote,
  remoteQuery,
  speakersOf,
  timeStretches,
} from '@keepsake/search/remote';
import { liveIn } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { rowsOf, Values } from '../database/statement.ts';
import { readCorpusStats } from '../stores/corpus-stats.ts';
import { columnsOf, type RecordRow, readRow } from '../stores/record-rows.ts';
import { compareMeaning, embedQuery } from './compare-vectors.ts';
import { weighedFeatures } from './features.ts';
import { findPacked } from './find-packed.ts';
import type { PackedQuery } from './packed-words.ts';
import { type FoundRecord, type Matches, readMatches } from './read-matches.ts';
import { recordsOf } from './records-of.ts';
import type { Worths } from './scoring-steps.ts';
import type { SearchContext } from './search-context.ts';
import { poolSizeOf, type SearchQuery, type SearchRow, searchStatement } from './search-statement.ts';

export interface Found extends Pick<Matches, 'records'> {
  /** Best first. */
  readonly hits: readonly PoolHit[];
  /** The words of the query that at least one record contains. */
  readonly words: readonly FoundWord[];
}

const NOTHING: Found = { hits: [], records: [], words: [] };

/** Finds records by their words and, with an embedder, by their meaning. */
export async function find(context: SearchContext, search: RecordSearch): Promise<Found> {
  const { namespace, language, embedder } = context;
  const { query, rules, limit, minScore, explain, signal } = search;
  const database = await context.database();
  const poolSize = poolSizeOf(limit);
  const [stats, meaning] = await Promise.all([
    readCorpusStats(database, namespace, signal),
    embedder && embedQuery(embedder, search).then((queried) => compareMeaning(context, queried, search, poolSize)),
  ]);
  throwIfAborted(signal);
  const languages = languagesOf(stats);
  await analyseAhead(query, language, languages);
  const queried = remoteQuery(query, languages, language);
  const features = weighedFeatures(queried, documentsByName(stats));
  const { documents: records } = stats.lengths;
  if (records === 0 || (features.length === 0 && meaning === undefined)) return NOTHING;
  const norm = lengthNorm(stats.lengths);
  const times = timeStretches(query, stats.now);
  const asked = { namespace, features, norm, rules, times, poolSize, meaning, records, indexed: context.indexed };
  const row = await readPool(database, asked, search);
  const held = readWorths(row);
  const words = held.map(([feature, worth]) => ({ forms: features[feature]?.forms ?? [], worth }));
  const order = held.map(([feature]) => feature);
  const { matches, records: found } = readMatches(row, order);
  const ranked = { words, matches, speakers: speakersOf(stats), variety: norm.variety, cosines: meaning?.cosines };
  return { words, records: found, hits: rankRemote(query, ranked, { limit, minScore, explain, now: stats.now }) };
}

/** All that finding the best records takes, but for what {@link findPacked} finds. */
type PoolQuery = PackedQuery & Omit<SearchQuery, 'worths' | 'best'>;

/** How often blocks may be written again during a search, before the database searches without them. */
const ATTEMPTS = 3;

/** Reads the best records, from blocks if there are any. Begins again if their records got other places meanwhile. */
async function readPool(database: Database, query: PoolQuery, search: RecordSearch): Promise<SearchRow | undefined> {
  const { features, records } = query;
  for (let attempt = 1; ; attempt++) {
    const packed = attempt > ATTEMPTS ? undefined : await findPacked(database, query, search);
    const worths: Worths =
      packed === undefined ? { kind: 'counted', records, weights: features } : { kind: 'given', worths: packed.worths };
    const statement = searchStatement(database.dialect, { ...query, worths, best: packed?.best });
    const [row] = await database.readRows<SearchRow>(statement, search.signal);
    throwIfAborted(search.signal);
    if (packed?.places === undefined || packed.places === row?.places) return row;
  }
}

/** The features that at least one record has, by falling worth. */
function readWorths(row: SearchRow | undefined): [feature: number, worth: number][] {
  const worths = JSON.parse(row?.worths ?? '[]') as [number, number][];
  return worths.filter(([, worth]) => worth > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

/** Reads the records that were found. `undefined` for a record that has since been changed or deleted. */
export async function fetchEntries(
  context: SearchContext,
  { hits, records, words }: Found,
  { signal }: RecordSearch,
): Promise<(MemoryEntry | undefined)[]> {
  if (hits.length === 0) return [];
  const database = await context.database();
  const values = new Values(database.dialect);
  const wanted = hits.map(({ match }) => [records[match]?.seq]);
  const { dialect } = database;
  const sql = `WITH wanted("seq") AS (${rowsOf(dialect, wanted, ['bigint'], values)})
    SELECT ${columnsOf('r')} FROM wanted ${recordsOf(dialect, 'wanted', 'r')}
    WHERE r."namespace_key" = ${values.text(context.namespace.key)} AND ${liveIn(dialect, 'r')}`;
  const rows = await database.readRows<RecordRow>({ sql, values }, signal);
  const bySeq = new Map(rows.map((row) => [Number(row.seq), row]));
  const searched = { words, language: context.language };
  return hits.map(({ match, ...hit }) => {
    const { seq, version } = records[match] as FoundRecord;
    const row = bySeq.get(seq);
    const record = row && readRow(row);
    return record?.version === version ? entryOf(record, hit, searched) : undefined;
  });
}
