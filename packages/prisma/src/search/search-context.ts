import type { Embedder } from '@keepsake/core';
import type { IndexedField } from '@keepsake/core/adapter';
import type { Language } from '@keepsake/search';
import type { Database } from '../database/database.ts';
import type { NamespaceKey } from '../stores/namespace-key.ts';

/** What a search needs to know about the namespace that it searches. */
export interface SearchContext {
  readonly namespace: NamespaceKey;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  /** The fields that an index serves. */
  readonly indexed: readonly IndexedField[];
  database(): Promise<Database>;
}
