import { getAnswer } from './ask/get-answer.ts';
import { getHealth } from './health/get-health.ts';
import { buryRecord, deleteRecord, editRecord, restoreRecord } from './memory/change-record.ts';
import { previewDeletion, stepDeletion } from './memory/delete-many.ts';
import { listNamespaces } from './memory/list-namespaces.ts';
import { listRecords } from './memory/list-records.ts';
import { getLive } from './memory/live.ts';
import { getRecord, getRecordText } from './memory/record-detail.ts';
import type { PanelParts } from './panel-parts.ts';
import { PATHS } from './protocol.ts';
import { getConversation, listConversations } from './sessions/conversations.ts';
import { getRun, getRunItem, listUnfinishedRuns } from './sessions/runs.ts';
import { getSession, getSessionItem, listSessions } from './sessions/sessions.ts';
import { getStatus } from './status.ts';
import { listUsers } from './users/list-users.ts';
import { eraseUser, exportUser, getUser } from './users/user-data.ts';
import { getWorkspace, getWorkspaceFile } from './workspace/workspace-view.ts';

/** Answers with JSON, or with a response of its own. Changes nothing. */
export type Read = (panel: PanelParts, query: URLSearchParams) => Promise<object>;

/** Changes something, and answers with JSON. */
export type Change = (panel: PanelParts, body: object) => Promise<object>;

/** What `GET` answers, by path. */
export const READS: ReadonlyMap<string, Read> = /* @__PURE__ */ new Map<string, Read>([
  [PATHS.status, getStatus],
  [PATHS.namespaces, listNamespaces],
  [PATHS.records, listRecords],
  [PATHS.record, getRecord],
  [PATHS.recordText, getRecordText],
  [PATHS.ask, getAnswer],
  [PATHS.sessions, listSessions],
  [PATHS.session, getSession],
  [PATHS.sessionItem, getSessionItem],
  [PATHS.conversations, listConversations],
  [PATHS.conversation, getConversation],
  [PATHS.unfinishedRuns, listUnfinishedRuns],
  [PATHS.run, getRun],
  [PATHS.runItem, getRunItem],
  [PATHS.workspace, getWorkspace],
  [PATHS.workspaceFile, getWorkspaceFile],
  [PATHS.users, listUsers],
  [PATHS.user, getUser],
  [PATHS.exportUser, exportUser],
  [PATHS.health, getHealth],
  [PATHS.live, getLive],
]);

/** What `POST` does, by path. */
export const CHANGES: ReadonlyMap<string, Change> = /* @__PURE__ */ new Map<string, Change>([
  [PATHS.editRecord, editRecord],
  [PATHS.buryRecord, buryRecord],
  [PATHS.restoreRecord, restoreRecord],
  [PATHS.deleteRecord, deleteRecord],
  [PATHS.previewDeletion, previewDeletion],
  [PATHS.stepDeletion, stepDeletion],
  [PATHS.eraseUser, eraseUser],
]);
