export { type AnalyseOptions, analyse } from './analyse.ts';
export { EmbeddedStore, type EmbeddedStoreOptions } from './embedded-store.ts';
export { type Fused, type FuseOptions, fuse } from './fuse.ts';
export type { Language } from './language.ts';
export {
  type LexicalHit,
  LexicalIndex,
  type LexicalIndexOptions,
  type LexicalSearchOptions,
} from './lexical-index.ts';
export type { RecordChange, RecordPlace, RecordSpace, RecordView } from './record-space.ts';
export { type PlaceFormat, RecordTable, type RecordTableOptions, type TableSearch } from './record-table.ts';
export { type StoredRecord, toRecord } from './stored-record.ts';
export { type VectorHit, VectorIndex, type VectorIndexOptions, type VectorSearchOptions } from './vector-index.ts';
