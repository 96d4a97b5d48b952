export { type AnalyseOptions, analyse } from './analyse.ts';
export { MAX_QUERY_LENGTH } from './analyser.ts';
export { type LengthNorm, type LengthStats, lengthNorm } from './bm25.ts';
export { checkLanguage } from './check-language.ts';
export { checkEmbedder, embed } from './embed.ts';
export { EmbeddedStore, type EmbeddedStoreOptions } from './embedded-store.ts';
export { excerptsFor } from './excerpt.ts';
export { type Fused, type FuseOptions, fuse } from './fuse.ts';
export { type HostedWord, hostedQuery } from './hosted-query.ts';
export {
  HOSTED_POOL,
  type HostedHit,
  type HostedMatch,
  type HostedMatches,
  type HostedRankingOptions,
  rankHosted,
} from './hosted-ranking.ts';
export type { HostedPut, HostedRecords, HostedSearch } from './hosted-records.ts';
export { HostedStore, type HostedStoreOptions } from './hosted-store.ts';
export { type HostedTerms, hostedAnalysis, hostedSpeaker, hostedTerms } from './hosted-terms.ts';
export { LATIN_LANGUAGES, type Language, type LatinLanguage } from './language.ts';
export type { FoundWord } from './lexical-index.ts';
export {
  type LexicalHit,
  LexicalIndex,
  type LexicalIndexOptions,
  type LexicalSearchOptions,
} from './lexical-index.ts';
export { namedTimes } from './named-times.ts';
export { WEIGHTS } from './ranking-weights.ts';
export type { RecordChange, RecordPlace, RecordSpace, RecordView } from './record-space.ts';
export { type PlaceFormat, RecordTable, type RecordTableOptions, type TableSearch } from './record-table.ts';
export { entryOf, type StoredRecord, toRecord } from './stored-record.ts';
export { FREQUENCY_STEPS, frequencyStep, LENGTH_STEPS, lengthStep, quantizedFrequency } from './tf-quantizer.ts';
export { ASKS } from './utterance.ts';
export {
  type VectorComparison,
  type VectorHit,
  VectorIndex,
  type VectorIndexOptions,
  type VectorSearchOptions,
} from './vector-index.ts';
