import type { Engine } from '../engines/engine.ts';
import { flexsearchSameStopWords } from '../engines/flexsearch.ts';
import { keepsakeFiles, keepsakeIndex, keepsakeStore, keepsakeStoreInBatches } from '../engines/keepsake.ts';
import { keepsakeSqliteFile } from '../engines/keepsake-sqlite.ts';
import { minisearch, minisearchSameStopWords } from '../engines/minisearch.ts';
import { oramaSameStopWords } from '../engines/orama.ts';
import { sqlite, sqliteSameStopWords } from '../engines/sqlite.ts';

/** A contender in searching the same texts. */
export interface TextContender {
  readonly name: string;
  readonly engine: Engine;
  /** Whether entries have turns. */
  readonly withTurns: boolean;
}

export const index = contender(keepsakeIndex);
export const store = contender(keepsakeStore);
export const storeInBatches = contender(keepsakeStoreInBatches);
export const storeOfTurns: TextContender = { name: 'InMemoryStore, turns', engine: keepsakeStore, withTurns: true };
export const files = contender(keepsakeFiles);
export const sqliteStore = contender(keepsakeSqliteFile);
export const sqliteStoreOfTurns: TextContender = {
  name: 'SqliteStore, turns',
  engine: keepsakeSqliteFile,
  withTurns: true,
};

export const fullText = contender(sqlite);
export const fullTextSameStopWords = contender(sqliteSameStopWords);

/** The peer that Keepsake must outperform many times. */
export const rival = contender(minisearchSameStopWords);

export const peers: readonly TextContender[] = [
  rival,
  ...[minisearch, flexsearchSameStopWords, oramaSameStopWords].map(contender),
  fullTextSameStopWords,
];

/** The contender with a name, which a process receives. */
export function contenderNamed(name: string): TextContender {
  const own = [index, store, storeInBatches, storeOfTurns, files, sqliteStore, sqliteStoreOfTurns];
  const found = [...own, fullText, ...peers].find((one) => one.name === name);
  if (found === undefined) throw new Error(`Unknown contender: ${name}.`);
  return found;
}

function contender(engine: Engine): TextContender {
  return { name: engine.name, engine, withTurns: false };
}
