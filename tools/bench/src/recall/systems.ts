import { bm25Bigrams, bm25Segments, bm25Terms } from '../engines/bm25.ts';
import type { Engine } from '../engines/engine.ts';
import { flexsearch, flexsearchSameStopWords } from '../engines/flexsearch.ts';
import { keepsakeFiles, keepsakeStore } from '../engines/keepsake.ts';
import { keepsakeHybrid } from '../engines/keepsake-hybrid.ts';
import { keepsakePostgres, keepsakeSqlite } from '../engines/keepsake-prisma.ts';
import { keepsakeRedis } from '../engines/keepsake-redis.ts';
import { keepsakeSqliteFile } from '../engines/keepsake-sqlite.ts';
import { langgraph } from '../engines/langgraph.ts';
import { minisearch, minisearchSameStems, minisearchSameStopWords } from '../engines/minisearch.ts';
import { orama, oramaSameStopWords } from '../engines/orama.ts';
import { sqlite, sqliteSameStopWords, sqliteTrigrams } from '../engines/sqlite.ts';
import { strands } from '../engines/strands.ts';

/** A system whose recall is measured. */
export interface System {
  readonly name: string;
  readonly engine: Engine;
  /** Whether entries have their turn in the conversation. */
  readonly withTurns: boolean;
}

/** The same store with and without turns. */
export type Pair<T> = readonly [withTurns: T, withoutTurns: T];

export const lexical: Pair<System> = [
  { name: 'Keepsake InMemoryStore', engine: keepsakeStore, withTurns: true },
  { name: 'Keepsake InMemoryStore without turn', engine: keepsakeStore, withTurns: false },
];

export const hybrid: Pair<System> = [
  { name: 'Keepsake InMemoryStore, hybrid', engine: keepsakeHybrid, withTurns: true },
  { name: 'Keepsake InMemoryStore, hybrid without turn', engine: keepsakeHybrid, withTurns: false },
];

/** Other backends of Keepsake. */
export const backends: readonly System[] = [
  { name: 'Keepsake FileStore', engine: keepsakeFiles, withTurns: true },
  { name: 'Keepsake SqliteStore', engine: keepsakeSqliteFile, withTurns: true },
  { name: 'Keepsake RedisStore', engine: keepsakeRedis, withTurns: true },
  { name: 'Keepsake PrismaStore on PostgreSQL', engine: keepsakePostgres, withTurns: true },
  { name: 'Keepsake PrismaStore on SQLite', engine: keepsakeSqlite, withTurns: true },
];

/** None of them supports turns. */
export const peers: readonly System[] = [
  langgraph,
  orama,
  oramaSameStopWords,
  strands,
  flexsearch,
  flexsearchSameStopWords,
  minisearch,
  minisearchSameStopWords,
  minisearchSameStems,
  sqlite,
  sqliteSameStopWords,
  sqliteTrigrams,
  bm25Bigrams,
  bm25Segments,
  bm25Terms,
].map((engine) => ({ name: engine.name, engine, withTurns: false }));
