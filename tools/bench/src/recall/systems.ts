import type { Engine } from '../engines/engine.ts';
import { flexsearch, flexsearchSameStopWords } from '../engines/flexsearch.ts';
import { keepsakeStore } from '../engines/keepsake.ts';
import { keepsakePostgres, keepsakeSqlite } from '../engines/keepsake-prisma.ts';
import { keepsakeRedis } from '../engines/keepsake-redis.ts';
import { langgraph } from '../engines/langgraph.ts';
import { minisearch, minisearchSameStems, minisearchSameStopWords } from '../engines/minisearch.ts';
import { orama, oramaSameStopWords } from '../engines/orama.ts';
import { sqlite, sqliteSameStopWords } from '../engines/sqlite.ts';
import { strands } from '../engines/strands.ts';

/** One whose recall is measured. */
export interface System {
  readonly name: string;
  readonly engine: Engine;
  /** Whether entries say where in a conversation they stand. */
  readonly withTurns: boolean;
  /** What its recall at 10 is to come to, in percent. */
  readonly atLeast?: number;
}

export const keepsake: System = { name: 'Keepsake InMemoryStore', engine: keepsakeStore, withTurns: true };

export const keepsakeWithoutTurns: System = {
  name: 'Keepsake InMemoryStore without turn',
  engine: keepsakeStore,
  withTurns: false,
};

/** Other backends of ours. */
export const backends: readonly System[] = [
  { name: 'Keepsake RedisStore', engine: keepsakeRedis, withTurns: true },
  { name: 'Keepsake PrismaStore on PostgreSQL', engine: keepsakePostgres, withTurns: true, atLeast: 66 },
  { name: 'Keepsake PrismaStore on SQLite', engine: keepsakeSqlite, withTurns: true, atLeast: 62 },
];

/** None of them has a place for a turn. */
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
].map((engine) => ({ name: engine.name, engine, withTurns: false }));
