import type { Engine } from '../engines/engine.ts';
import { flexsearchSameStopWords } from '../engines/flexsearch.ts';
import { keepsakeFiles, keepsakeIndex, keepsakeStore, keepsakeStoreInBatches } from '../engines/keepsake.ts';
import { minisearch, minisearchSameStopWords } from '../engines/minisearch.ts';
import { oramaSameStopWords } from '../engines/orama.ts';
import { sqliteSameStopWords } from '../engines/sqlite.ts';

/** Who searches the same texts. */
export interface TextContender {
  readonly name: string;
  readonly engine: Engine;
  /** Whether entries say where in a conversation they stand. */
  readonly withTurns: boolean;
}

export const index = contender(keepsakeIndex);
export const store = contender(keepsakeStore);
export const storeInBatches = contender(keepsakeStoreInBatches);
export const storeOfTurns: TextContender = { name: 'InMemoryStore, turns', engine: keepsakeStore, withTurns: true };
export const files = contender(keepsakeFiles);

/** The one that Keepsake must be many times as fast as. */
export const rival = contender(minisearchSameStopWords);

export const peers: readonly TextContender[] = [
  rival,
  ...[minisearch, flexsearchSameStopWords, oramaSameStopWords, sqliteSameStopWords].map(contender),
];

/** The contender of a name: what a process is told to use. */
export function contenderNamed(name: string): TextContender {
  const found = [index, store, storeInBatches, storeOfTurns, files, ...peers].find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no contender ${name}.`);
  return found;
}

function contender(engine: Engine): TextContender {
  return { name: engine.name, engine, withTurns: false };
}
