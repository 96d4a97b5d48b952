/*
 * The JSON API between the panel's page and its server. Types and constants only, so that both sides can import it.
 *
 * Reads are `GET` with a query; changes are `POST` with a JSON body and the header `CSRF_HEADER`, whose value is in `Status`.
 * A read-only panel refuses every `POST`. All texts are untrusted: show them as text. Times are ISO 8601 in UTC. A namespace
 * is named as `formatNamespace` writes it; `''` is the root of the panel.
 *
 * A failed request has a status of 400 or more and an `ApiError` as its body.
 */

/** Paths, relative to the page. */
export const PATHS = {
  status: 'api/status',
  namespaces: 'api/namespaces',
  records: 'api/records',
  record: 'api/record',
  recordText: 'api/record/text',
  editRecord: 'api/record/edit',
  buryRecord: 'api/record/bury',
  restoreRecord: 'api/record/restore',
  deleteRecord: 'api/record/delete',
  previewDeletion: 'api/deletion/preview',
  stepDeletion: 'api/deletion/step',
  ask: 'api/ask',
  sessions: 'api/sessions',
  session: 'api/session',
  sessionItem: 'api/session/item',
  conversations: 'api/conversations',
  conversation: 'api/conversation',
  unfinishedRuns: 'api/runs',
  run: 'api/run',
  runItem: 'api/run/item',
  workspace: 'api/workspace',
  workspaceFile: 'api/workspace/file',
  users: 'api/users',
  user: 'api/user',
  exportUser: 'api/user/export',
  eraseUser: 'api/user/erase',
  health: 'api/health',
  live: 'api/live',
} as const;

/** The header of every change. */
export const CSRF_HEADER = 'x-keepsake-csrf';

/** Limits of requests and answers. */
export const LIMITS = {
  /** Records, sessions, users and other rows in a page. */
  pageSize: 200,
  defaultPageSize: 50,
  /** Characters of a search or a question. */
  queryCharacters: 4_000,
  /** UTF-16 units of a text in a list. Longer ones are cut, with `truncated`. */
  shortText: 400,
  /** UTF-16 units of a text in the view of one record, item or file, and in each piece of a full text. */
  longText: 20_000,
  /** Records of one deletion. */
  deletionRecords: 10_000,
  /** Records removed by one step of a deletion. */
  deletionStep: 100,
  /** Records whose changes one request asks for. */
  seenRecords: 100,
  /** Bytes of a body. */
  bodyBytes: 2_097_152,
} as const;

export interface ApiError {
  readonly error: {
    /** The code of a `MemoryError`, or one of the panel itself. */
    readonly code: string;
    /** What is wrong and what to do. May be shown. */
    readonly message: string;
  };
}

/** The codes that the panel adds to those of `MemoryError`. */
export type PanelErrorCode = 'NOT_FOUND' | 'FORBIDDEN' | 'UNAUTHENTICATED' | 'METHOD_NOT_ALLOWED' | 'INTERNAL';

/** One page. `cursor` is missing on the last. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

/** A text, or its beginning. */
export interface ShownText {
  readonly text: string;
  /** UTF-16 units of the whole text. */
  readonly length: number;
  readonly truncated: boolean;
}

// GET status

export interface Status {
  /** The configuration file or directory, by its last path segment. */
  readonly name: string;
  readonly version: string;
  readonly readOnly: boolean;
  /** Send it as `CSRF_HEADER` with every change. Missing on a read-only panel. */
  readonly csrfToken?: string;
  readonly store: {
    readonly name: string;
    readonly description?: string;
    readonly writable: boolean;
    readonly capabilities: {
      readonly search: 'lexical' | 'semantic' | 'hybrid';
      readonly durable: boolean;
      readonly shared: boolean;
      readonly enumerate: boolean;
      readonly filter: boolean;
      readonly history: boolean;
      readonly ttl: boolean;
    };
  };
  /** Which views have something to show. */
  readonly parts: {
    readonly sessions: boolean;
    /** The keys of the configured agents. */
    readonly agents: readonly string[];
    readonly workspace: boolean;
  };
}

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

// GET record/text?namespace=&id=&offset=

/** A piece of a text of at most `LIMITS.longText` UTF-16 units. Also the answer of the item and file pieces. */
export interface TextPiece {
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  /** Missing at the end. */
  readonly nextOffset?: number;
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

// GET sessions?prefix=&cursor=&limit=

export interface SessionRow {
  readonly sessionId: string;
  readonly itemCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET session?id=&skip=&limit=

/** The newest items, oldest first, without the `skip` newest. */
export interface SessionTimeline {
  readonly sessionId: string;
  readonly items: readonly TimelineItem[];
  /** Pass it to get the items before; missing at the beginning. */
  readonly nextSkip?: number;
}

export interface TimelineItem {
  /** Its position: in a session, from the end (0 is the newest); in a run, from the beginning. */
  readonly position: number;
  readonly kind: 'message' | 'toolCall' | 'toolResult' | 'reasoning' | 'other';
  readonly role?: string;
  /** For `toolCall` its arguments, for `toolResult` its output, for `other` its JSON. */
  readonly content: ShownText;
  readonly toolName?: string;
  /** Pairs a call with its result. */
  readonly callId?: string;
  /** A message of some frameworks has its calls inside. */
  readonly calls?: readonly TimelineItem[];
}

// GET session/item?id=&position=&offset= and run/item?kind=&sessionId=&runId=&position=&offset= answer TextPiece of the JSON.

// GET conversations?user=&kind=&cursor=&limit=

export type ConversationKind = 'agent' | 'team' | 'workflow';

export interface ConversationRow {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly userId?: string;
  readonly agentId?: string;
  readonly summary?: ShownText;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET conversation?kind=&sessionId=&cursor=&limit=

export interface ConversationDetail extends ConversationRow {
  readonly metadata: { readonly [field: string]: unknown };
  readonly summaryThroughSeq?: number;
  /** What is known of its user. */
  readonly profile?: { readonly scope: 'user' | 'session'; readonly data: { readonly [field: string]: unknown } };
  /** Newest first. */
  readonly runs: PageOf<RunRow>;
}

export type RunStatus = 'running' | 'completed' | 'paused' | 'error' | 'cancelled';

export interface RunRow {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly runId: string;
  readonly seq: number;
  readonly status: RunStatus;
  readonly userId?: string;
  readonly agentId?: string;
  readonly parentRunId?: string;
  readonly pauseReason?: string;
  /** As JSON. */
  readonly error?: ShownText;
  readonly usage?: { readonly [field: string]: unknown };
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET runs?status=&user=&cursor=&limit= answers PageOf<RunRow>: unfinished runs of all sessions.

// GET run?kind=&sessionId=&runId=

export interface RunDetail extends RunRow {
  readonly items: readonly TimelineItem[];
  /** Items beyond the first 500 are left out. */
  readonly moreItems: number;
  readonly output?: ShownText;
  /** What another process gets when it resumes the run. */
  readonly resume: {
    readonly resumable: boolean;
    /** As JSON. */
    readonly checkpoint?: ShownText;
  };
}

// GET workspace

export interface WorkspaceView {
  /** What the next run reads. */
  readonly instructions: ShownText;
  readonly files: readonly WorkspaceFileRow[];
  readonly rollouts: readonly RolloutRow[];
}

interface WorkspaceFileRow {
  readonly path: string;
}

interface RolloutRow {
  readonly rolloutId: string;
  readonly status: string;
  readonly updatedAt?: string;
  /** The path of its summary in the workspace. */
  readonly summaryPath?: string;
  /** Why nothing could be learned from it. */
  readonly error?: ShownText;
}

// GET workspace/file?path=&offset=

export interface WorkspaceFileView extends TextPiece {
  readonly path: string;
  /** The blocks of a Markdown file at offset 0: bullets with the rollouts that they rest on. Missing for other files. */
  readonly blocks?: readonly {
    readonly kind: 'heading' | 'bullet' | 'other';
    readonly text: string;
    readonly rollouts: readonly string[];
  }[];
}

// GET users?search=&cursor=&limit=

/** Everybody who has memories, conversations or sessions, sorted by id. */
export interface UsersPage extends PageOf<UserRow> {
  /** `true` if there are older sessions than were looked at, so that somebody who has no more than those is missing. */
  readonly moreSessions: boolean;
}

export interface UserRow extends PrincipalRef {
  readonly recordCount: number;
  readonly namespaces: number;
  readonly agents: readonly string[];
  readonly conversations: number;
  readonly sessions: number;
}

// GET user?id=&type=&shared=

/** What `eraseUser` would remove now. Nothing was changed. */
export interface UserDetail {
  readonly principal: PrincipalRef;
  readonly counts: ErasedCounts;
  readonly places: readonly UserPlace[];
}

export interface UserPlace {
  readonly namespace: string;
  readonly kind: 'memory' | 'outbox' | 'shared';
  readonly recordCount: number;
}

export interface ErasedCounts {
  readonly memories: number;
  readonly outboxRecords: number;
  /** Entries they wrote in pools and teams; 0 unless asked with `shared`. */
  readonly sharedEntries: number;
  readonly damagedEntries: number;
  /** Sessions and namespaces whose name is lost by damage, so that they may be of anybody. They are not erased. */
  readonly unidentified: number;
  readonly sessions: number;
  readonly sessionItems: number;
  readonly conversations: number;
  readonly runs: number;
  readonly profiles: number;
}

// GET user/export?id=&type= answers JSON lines as a download.

// POST user/erase

export interface EraseUser {
  readonly id: string;
  readonly type: 'user' | 'service';
  readonly shared: boolean;
  /** The id again, typed by a person. */
  readonly confirm: string;
}

export interface ErasureReceipt {
  readonly principal: PrincipalRef;
  readonly counts: ErasedCounts;
  readonly places: readonly UserPlace[];
  /** When a full pass found nothing left. */
  readonly completedAt: string;
  /** The whole receipt, for a file. */
  readonly receipt: object;
}

// GET health

export interface Health {
  /** Each part that the configuration has, tried once. */
  readonly checks: readonly HealthCheck[];
  readonly counts: {
    readonly namespaces: number;
    readonly records: number;
    /** `true` if the root has more records than were counted. */
    readonly more: boolean;
    readonly sessions?: number;
    readonly moreSessions?: boolean;
  };
  /** Turns that a manager has not saved yet. */
  readonly outbox: readonly { readonly namespace: string; readonly recordCount: number }[];
  /** Messages that no memory could be made of. At most 100. */
  readonly deadLetters: readonly DeadLetterRow[];
  /** What `keepsake doctor` finds. Missing where the storage is not files. */
  readonly files?: {
    readonly bytes: number;
    readonly problems: readonly HealthProblem[];
    readonly moreProblems: number;
  };
  readonly checkedAt: string;
}

export interface HealthCheck {
  readonly part: 'memory' | 'sessions' | 'conversations' | 'space' | 'workspace';
  readonly ok: boolean;
  readonly latencyMs: number;
  /** Took more than a second. */
  readonly slow: boolean;
  readonly error?: ApiError['error'];
}

export interface HealthProblem {
  readonly kind: string;
  readonly message: string;
  readonly repairable: boolean;
  /** A session or a namespace. */
  readonly where: string;
}

export interface DeadLetterRow {
  readonly namespace: string;
  readonly storeName: string;
  readonly thread: string;
  readonly at: string;
  readonly failedAt: string;
  readonly error: { readonly code?: string; readonly message: string };
}

// GET live?namespace=&descendants=&seen=

/** The records on the screen, by namespace, as JSON in `seen`: at most `LIMITS.seenRecords`. */
export type SeenRecords = readonly (readonly [namespace: string, ids: readonly string[]])[];

/** Poll it every few seconds. */
export interface Live {
  /** If it is another than before, records appeared or went: load the page again. */
  readonly mark: string;
  /** The records of `seen` as they are now, in their order; `null` for one that is gone. */
  readonly seen: readonly (RecordState | null)[];
}

/** Changes whenever the record does. */
export type RecordState = Pick<RecordDetail, 'version' | 'updatedAt' | 'validUntil'>;
