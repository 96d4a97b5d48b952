export { type Fused, type FuseOptions, fuse } from '@keepsake/internal';
export { checkLanguage } from './languages/check-language.ts';
export { LATIN_LANGUAGES, type Language, type LatinLanguage } from './languages/language.ts';
export {
  type LexicalHit,
  LexicalIndex,
  type LexicalIndexOptions,
  type LexicalSearchOptions,
} from './lexical/lexical-index.ts';
export { EMBEDDED_STORE_OPTIONS, EmbeddedStore, type EmbeddedStoreOptions } from './records/embedded-store.ts';
export type { RecordChange, RecordPlace, RecordSpace, RecordView } from './records/record-space.ts';
export { type PlaceFormat, RecordTable, type RecordTableOptions, type TableSearch } from './records/record-table.ts';
export { type StoredRecord, toRecord } from './records/stored-record.ts';
export type { Steps } from './snapshot/steps.ts';
export { type AnalyseOptions, analyse } from './text/analyse.ts';
export { checkEmbedder, embed } from './vectors/embed.ts';
export {
  type VectorComparison,
  type VectorHit,
  VectorIndex,
  type VectorIndexOptions,
  type VectorSearchOptions,
} from './vectors/vector-index.ts';
