import type { MemoryEntry, ScoreExplanation } from '@keepsake/core';
import type { DetectedLanguage } from '../languages/language.ts';
import type { LengthStats } from '../lexical/bm25.ts';
import type { FoundWord } from '../lexical/matching.ts';
import type { TreeMatch } from './rank-tree.ts';
import type { TreeWord } from './tree-words.ts';

/** The indexed documents of a namespace. */
export interface Corpus {
  readonly lengths: LengthStats;
  /** How many documents are in each language. */
  readonly languages: ReadonlyMap<DetectedLanguage, number>;
  /** How many documents are by each speaker. */
  readonly speakers: ReadonlyMap<string, number>;
  /** The cosines between the query and all vectors. Missing without an embedder. */
  readonly cosines?: CosineStats | undefined;
}

export interface CosineStats {
  readonly count: number;
  readonly mean: number;
  /** The standard deviation of the population. */
  readonly deviation: number;
}

/** A word of the query, or a group of terms related to it, that a document of any namespace has. */
export interface Worth extends FoundWord {
  /** The index of the word in the query. */
  readonly word: number;
  /** 0 for the word itself, else the number of the group, from 1. */
  readonly group: number;
}

/** What to look for in one of several namespaces. */
export interface PoolQuery {
  readonly words: readonly TreeWord[];
  /** By falling worth, which is the order of the bits of `TreeMatch.held`. */
  readonly worths: readonly Worth[];
  /** How many of the best documents by words, and how many of the nearest by meaning. */
  readonly size: number;
}

/** The best documents of a namespace, with the turns beside them. */
export interface Pool {
  readonly matches: readonly TreeMatch[];
  /** The entry of each hit; `undefined` if its record is gone by now, or no longer passes the filter. */
  entries(hits: readonly PoolHit[], words: readonly FoundWord[]): Promise<readonly (MemoryEntry | undefined)[]>;
}

export interface PoolHit {
  /** The index of the match. */
  readonly match: number;
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}
