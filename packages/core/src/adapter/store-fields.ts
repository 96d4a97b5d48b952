import type { FieldNames } from '../common/check-fields.ts';
import type { AddMessagesContext, SearchOptions } from '../store/memory-store.ts';
import type {
  CompactOptions,
  GetOptions,
  ListOptions,
  NamespaceListOptions,
  RecordSearchOptions,
  RecordStore,
  StoreIdentity,
} from '../store/record-store.ts';

/*
 * The option fields that record stores know. Strands' MemoryManager 1.19 passes `maxSearchResults` to `search` and
 * `sequenceNumbers` to `addMessages`, which mean the same here, so there is no field to ignore.
 */

export const IDENTITY: FieldNames<StoreIdentity> = {
  name: true,
  description: true,
  maxSearchResults: true,
  writable: true,
  extraction: true,
};

// Not spread, as the tables below: bundlers can't leave out an unused table that is.
/** The fields of {@link RecordStoreOptions}, for the tables of stores that add their own. */
export const STORE_OPTIONS: FieldNames<StoreIdentity> & { readonly namespace: true } = {
  name: true,
  description: true,
  maxSearchResults: true,
  writable: true,
  extraction: true,
  namespace: true,
};

export const SEARCH: FieldNames<SearchOptions> = {
  maxSearchResults: true,
  filter: true,
  minScore: true,
  explain: true,
  signal: true,
};

export const RECORD_SEARCH: FieldNames<RecordSearchOptions> = {
  maxSearchResults: true,
  filter: true,
  minScore: true,
  explain: true,
  signal: true,
  descendants: true,
};

export const PUT: FieldNames<NonNullable<Parameters<RecordStore['put']>[1]>> = { ifVersion: true, signal: true };

export const PUT_MANY: FieldNames<NonNullable<Parameters<RecordStore['putMany']>[1]>> = { ifVersions: true };

export const DELETE: FieldNames<NonNullable<Parameters<RecordStore['delete']>[1]>> = {
  ifVersion: true,
  alone: true,
};

export const GET: FieldNames<GetOptions> = { asOf: true };

export const LIST: FieldNames<ListOptions> = {
  limit: true,
  cursor: true,
  order: true,
  idPrefix: true,
  descendants: true,
  filter: true,
  asOf: true,
  history: true,
  signal: true,
};

export const CLEAR: FieldNames<NonNullable<Parameters<RecordStore['clear']>[0]>> = { descendants: true };

export const COMPACT: FieldNames<CompactOptions> = { discard: true };

export const NAMESPACES: FieldNames<NamespaceListOptions> = {
  limit: true,
  cursor: true,
  empty: true,
  segment: true,
  notBelow: true,
};

export const MESSAGES: FieldNames<AddMessagesContext> = { sequenceNumbers: true, runId: true, thread: true };
