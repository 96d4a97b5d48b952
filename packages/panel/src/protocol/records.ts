import type { PageOf, ShownText } from './answers.ts';

// GET records: RecordsQuery

/** The same fields are the query of a list and the body of `previewDeletion`. */
export interface RecordSelection {
  readonly namespace: string;
  readonly descendants?: boolean;
  /** Ranks by this text. Without it, lists by time of creation in the store. */
  readonly search?: string;
  readonly kind?: 'utterance' | 'fact' | 'summary';
  readonly speaker?: string;
  readonly conversation?: string;
  readonly run?: string;
  /** `createdAt` from this time on. */
  readonly from?: string;
  /** `createdAt` before this time. */
  readonly to?: string;
  /** A metadata field and its value as JSON, such as `topic` and `"travel"`. A value that is no JSON is a string. */
  readonly metadataField?: string;
  readonly metadataValue?: string;
}

export interface RecordsQuery extends RecordSelection {
  /** Ignored in a search, which is best first. @default 'newest' */
  readonly order?: 'newest' | 'oldest';
  /** Also closed records, which no longer hold. Not in a search. */
  readonly closed?: boolean;
  /** What held at this time. Not in a search, nor with `closed`. */
  readonly asOf?: string;
  /** A search has one page, with at most `LIMITS.pageSize` records. */
  readonly cursor?: string;
  readonly limit?: number;
}

export interface RecordsPage extends PageOf<RecordRow> {
  /** How long the store took. */
  readonly tookMs: number;
}

export interface RecordRow {
  readonly namespace: string;
  readonly id: string;
  /** Missing in a search result. */
  readonly version?: number;
  readonly content: ShownText;
  /** In a search: the best passage of a long text, if the store names one. */
  readonly excerpt?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly expiresAt?: string;
  readonly speaker?: string;
  readonly kind?: 'utterance' | 'fact' | 'summary';
  /** The conversation that it comes from. */
  readonly conversation?: string;
  /** Kept, but not recalled: buried, or stored without an index. Missing in a search result. */
  readonly buried?: boolean;
  /** No longer holds since then. */
  readonly validUntil?: string;
  readonly score?: number;
}
