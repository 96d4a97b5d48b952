import type { Embedder } from '@keepsake/core';
import type { IndexedField } from '@keepsake/core/adapter';
import type { Language } from '@keepsake/search';
import type { Database } from '../database/database.ts';

/** What the records of all namespaces of a store have in common. */
export interface RecordsOptions {
  readonly database: Database;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  /** The fields that filters have an index for. */
  readonly indexed: readonly IndexedField[];
}
