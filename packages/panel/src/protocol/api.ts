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
