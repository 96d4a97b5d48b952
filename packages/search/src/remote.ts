export { type LengthNorm, lengthNorm } from './lexical/bm25.ts';
export type { FoundWord } from './lexical/matching.ts';
export {
  FREQUENCY_STEPS,
  LENGTH_STEPS,
  lengthStep,
  quantizedFrequency,
} from './lexical/tf-quantizer.ts';
export { TopK } from './lexical/top-k.ts';
export { excerptsFor } from './ranking/excerpt.ts';
export {
  TIME_REACH_MS,
  type TimeStretches,
  timeFactor,
  timeStretches,
} from './ranking/named-times.ts';
export { AnalysisAhead } from './records/analysis-ahead.ts';
export { entryOf } from './records/stored-record.ts';
export {
  type BlockPostings,
  blockOf,
  countOf,
  firstDocumentOf,
  mergedPostings,
  placeOf,
  postingOf,
  withoutPlaces,
} from './remote/block-postings.ts';
export { BlockScorer, type PlacesByBlock, type Scored } from './remote/block-scorer.ts';
export { joinRuns } from './remote/neighbour-runs.ts';
export { type RemoteWord, remoteQuery } from './remote/remote-query.ts';
export {
  REMOTE_POOL,
  type RemoteMatch,
  rankRemote,
} from './remote/remote-ranking.ts';
export { remoteTerms } from './remote/remote-terms.ts';
export { WorkSteps } from './remote/work-steps.ts';
export { analyseAhead } from './text/analyse-ahead.ts';
export type { Word } from './text/lexicon.ts';
export { ASKS } from './text/utterance.ts';
export { documentsByName, languagesOf, MAX_SPEAKERS, speakersOf } from './tree/corpus.ts';
export type { Corpus, CosineStats, Pool, PoolHit, PoolQuery, SearchPlace } from './tree/search-place.ts';
export { searchTree } from './tree/search-tree.ts';
