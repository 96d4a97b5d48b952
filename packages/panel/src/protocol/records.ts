import type { PageOf, ShownText } from './api.ts';

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

// GET record?namespace=&id=

export interface RecordDetail extends RecordRow {
  readonly version: number;
  /** How many times it was put: what the version counts. */
  readonly puts: number;
  readonly metadata: { readonly [field: string]: unknown };
  readonly source?: { conversation?: string; run?: string; speaker?: string; kind?: string };
  readonly turn?: { thread: string; index: number; speaker?: string };
  readonly supersedes?: string;
  readonly supersededBy?: string;
  readonly validFrom?: string;
  /** All versions, oldest first, this one included; `[]` where the backend keeps none. At most 100. */
  readonly versions: readonly RecordRow[];
  /** The utterances around it in its conversation, in order, this one included; `[]` without a `turn`. */
  readonly neighbours: readonly (RecordRow & { readonly index: number })[];
  readonly can: {
    /** `false` for a read-only panel or store, and for a closed record. */
    readonly edit: boolean;
    /** Whether an edit can keep the version before, so that it can be undone. */
    readonly keepVersions: boolean;
    readonly delete: boolean;
  };
}

// GET record/text?namespace=&id=&offset= answers TextPiece.

// GET namespaces?parent=&cursor=&limit=

/** The children of a namespace, one level down, sorted by name. */
export interface NamespaceLevel extends PageOf<NamespaceNode> {
  /** The parent itself. */
  readonly parent: NamespaceNode;
}

export type NamespaceKind = 'private' | 'child' | 'pool' | 'team' | 'outbox' | 'conversations' | 'other';

export interface NamespaceNode {
  readonly namespace: readonly string[];
  /** The whole path, as the API takes it; `''` for the root. */
  readonly name: string;
  /** The last segment; `''` for the root. */
  readonly label: string;
  /** Records exactly here, closed ones too. */
  readonly recordCount: number;
  /** `true` if the store can't say how many records are here without reading all: there are more than `recordCount`. */
  readonly more?: boolean;
  /** Records in all namespaces below. */
  readonly below: number;
  readonly childCount: number;
  /** Missing for a level without records of its own. */
  readonly kind?: NamespaceKind;
  /** The user or service it belongs to. */
  readonly principal?: PrincipalRef;
}

export interface PrincipalRef {
  readonly id: string;
  readonly type: 'user' | 'service';
}

// POST record/edit, record/bury, record/restore, record/delete. All answer 409 CONFLICT if the record changed meanwhile.

export interface RecordRef {
  readonly namespace: string;
  readonly id: string;
  readonly ifVersion: number;
}

/** Answers `RecordDetail`. */
export interface EditRecord extends RecordRef {
  readonly content: string;
  /** @default unchanged */
  readonly metadata?: { readonly [field: string]: unknown };
  /**
   * Keeps the version before and gives the new text a new id, which needs `can.keepVersions`. Without it, the text is replaced
   * under the same id. Programs that read a memory by its id, such as those with keys, need the same id.
   *
   * @default false
   */
  readonly keepVersion?: boolean;
}

/** Answers `RecordDetail`. `buried: false` digs it up. */
export interface BuryRecord extends RecordRef {
  readonly buried: boolean;
}

/** Undo: the text and metadata of an earlier version hold again, as a new version. Answers `RecordDetail`. */
export interface RestoreRecord extends RecordRef {
  /** The id of one of `versions`. */
  readonly versionId: string;
}

/** Removes it with all versions. Answers `{ deleted: boolean }`. */
export interface DeleteRecord extends RecordRef {}
export interface DeletedRecord {
  readonly deleted: boolean;
}

// POST deletion/preview, deletion/step

export type PreviewDeletion =
  | { readonly select: RecordSelection }
  | {
      readonly records: readonly { readonly namespace: string; readonly id: string; readonly version?: number }[];
    };

export interface DeletionPreview {
  /** Removes exactly the records of the preview, in the versions that they had. Valid for ten minutes, once. */
  readonly token: string;
  readonly count: number;
  /** Whether more match than one deletion takes: see `LIMITS.deletionRecords`. */
  readonly more: boolean;
  /** The first 20. */
  readonly sample: readonly RecordRow[];
}

/** The answer to `{ token }`. Step until `left` is 0. */
export interface DeletionProgress {
  /** Of all steps. */
  readonly deleted: number;
  /** Records that someone changed since the preview: kept. */
  readonly changed: number;
  /** Records that were already gone. */
  readonly gone: number;
  readonly left: number;
}

// GET ask?question=&namespace=&descendants=&user=&agent=&limit=

export interface Answer {
  /** The namespace that was asked. */
  readonly namespace: string;
  readonly hits: readonly AnswerHit[];
  /** The exact text that a model would get; missing if nothing would be injected. */
  readonly block?: ShownText;
  /** Estimated tokens of the whole block. */
  readonly blockTokens: number;
  readonly tookMs: number;
}

export interface AnswerHit extends RecordRow {
  readonly rank: number;
  readonly score: number;
  /** Score = the total of `sum`, multiplied by each of `factors`. Missing if the store can't explain. */
  readonly explanation?: {
    readonly sum: { readonly [signal: string]: number };
    readonly factors: { readonly [signal: string]: number };
  };
  /** Whether its text is in the block. */
  readonly injected: boolean;
}
