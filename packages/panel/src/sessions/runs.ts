import type { ListedRun } from '@keepsake/conversations';
import { withoutUndefined } from '@keepsake/internal';
import { oneOf, readQuery, requiredText, text, whole } from '../http/fields.ts';
import { notFound } from '../http/refusal.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type PageOf, type RunDetail, type RunRow, type TextPiece } from '../protocol.ts';
import { shownJson, textPiece } from '../shown-text.ts';
import { CONVERSATION, openConversation } from './open-conversation.ts';
import { itemJson, timelineItem } from './timeline.ts';

const UNFINISHED = {
  status: oneOf('running', 'paused', 'error', 'cancelled'),
  user: text(256),
  cursor: text(16_384),
  limit: whole(1, LIMITS.pageSize, LIMITS.defaultPageSize),
} as const;

const RUN = { ...CONVERSATION, runId: requiredText(512) } as const;

const MAX_ITEMS = 500;

/** The runs of all sessions that wait, failed or are still running. */
export async function listUnfinishedRuns({ config }: PanelParts, query: URLSearchParams): Promise<PageOf<RunRow>> {
  const { status, user, cursor, limit } = readQuery(query, UNFINISHED);
  const whose = user === undefined ? { allUsers: true } : { userId: user };
  const page = await (await config.conversations()).listRuns({ ...whose, status, cursor, limit });
  return { ...page, items: page.items.map(runRow) };
}

export async function getRun(panel: PanelParts, query: URLSearchParams): Promise<RunDetail> {
  const { kind, sessionId, runId } = readQuery(query, RUN);
  const handle = await openConversation(panel, { kind, sessionId });
  const run = await handle.loadRun(runId);
  if (run === undefined) throw notFound('There is no such run.');
  const { items, output, checkpoint, ...listed } = run;
  const resumable = run.status !== 'completed' && (await handle.loadResumableRun(runId)) !== undefined;
  return {
    ...runRow({ key: { kind, sessionId }, ...listed }),
    items: items.slice(0, MAX_ITEMS).map(timelineItem),
    moreItems: Math.max(0, items.length - MAX_ITEMS),
    ...(output !== undefined && { output: shownJson(output, LIMITS.longText) }),
    resume: {
      resumable,
      ...(checkpoint !== undefined && { checkpoint: shownJson(checkpoint, LIMITS.longText) }),
    },
  };
}

export async function getRunItem(panel: PanelParts, query: URLSearchParams): Promise<TextPiece> {
  const fields = { ...RUN, position: whole(0, 2 ** 31, 0), offset: whole(0, 2 ** 31, 0) };
  const { kind, sessionId, runId, position, offset } = readQuery(query, fields);
  const run = await (await openConversation(panel, { kind, sessionId })).loadRun(runId);
  const item = run?.items[position];
  if (item === undefined) throw notFound('There is no such item any more.');
  return textPiece(itemJson(item), offset);
}

export function runRow(run: ListedRun): RunRow {
  const { key, runId, seq, status, createdAt, updatedAt } = run;
  const { userId, agentId, parentRunId, pauseReason, error, usage } = run;
  return {
    kind: key.kind,
    sessionId: key.sessionId,
    runId,
    seq,
    status,
    ...withoutUndefined({ userId, agentId, parentRunId, pauseReason, usage }),
    ...(error !== undefined && { error: shownJson(error) }),
    createdAt,
    updatedAt,
  };
}
