import type { Embedder } from '@keepsake/core';
import type { Language } from '@keepsake/search';
import type { Database } from '../database/database.ts';
import type { CorpusStatsReader } from '../stores/corpus-stats.ts';
import type { NamespaceKey } from '../stores/namespace-key.ts';

/** What a search needs to know about the namespace that it searches. */
export interface SearchContext {
  readonly namespace: NamespaceKey;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  readonly corpusStats: CorpusStatsReader;
  database(): Promise<Database>;
}
