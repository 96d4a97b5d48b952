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

/** A piece of a text of at most `LIMITS.longText` UTF-16 units. Also the answer of the item and file pieces. */
export interface TextPiece {
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  /** Missing at the end. */
  readonly nextOffset?: number;
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
