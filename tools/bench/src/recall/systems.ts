import type { Engine } from '../engines/engine.ts';
import { flexsearch, flexsearchSameStopWords } from '../engines/flexsearch.ts';
import { keepsakeStore } from '../engines/keepsake.ts';
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
}

export const keepsake: System = { name: 'Keepsake InMemoryStore', engine: keepsakeStore, withTurns: true };

export const keepsakeWithoutTurns: System = {
  name: 'Keepsake InMemoryStore without turn',
  engine: keepsakeStore,
  withTurns: false,
};

/** Other backends of ours. */
export const backends: readonly System[] = [{ name: 'Keepsake RedisStore', engine: keepsakeRedis, withTurns: true }];

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
