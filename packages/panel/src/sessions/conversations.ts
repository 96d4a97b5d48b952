import type { ConversationSession } from '@keepsake/conversations';
import { withoutUndefined } from '@keepsake/internal';
import { oneOf, readQuery, text, whole } from '../http/fields.ts';
import { notFound } from '../http/refusal.ts';
import type { PanelParts } from '../panel-parts.ts';
import { type ConversationDetail, type ConversationRow, LIMITS, type PageOf } from '../protocol.ts';
import { shownText } from '../shown-text.ts';
import { CONVERSATION, openConversation } from './open-conversation.ts';
import { runRow } from './runs.ts';

const PAGE = { cursor: text(16_384), limit: whole(1, LIMITS.pageSize, LIMITS.defaultPageSize) } as const;
const CONVERSATIONS = { user: text(256), kind: oneOf('agent', 'team', 'workflow'), ...PAGE } as const;

export async function listConversations(
  { config }: PanelParts,
  query: URLSearchParams,
): Promise<PageOf<ConversationRow>> {
  const { user, kind, cursor, limit } = readQuery(query, CONVERSATIONS);
  const whose = user === undefined ? { allUsers: true } : { userId: user };
  const page = await (await config.conversations()).listSessions({ ...whose, kind, cursor, limit });
  return { ...page, items: page.items.map((session) => conversationRow(session, LIMITS.shortText)) };
}

export async function getConversation(panel: PanelParts, query: URLSearchParams): Promise<ConversationDetail> {
  const { kind, sessionId, cursor, limit } = readQuery(query, { ...CONVERSATION, ...PAGE });
  const handle = await openConversation(panel, { kind, sessionId });
  const session = await handle.getSession();
  if (session === undefined) throw notFound('There is no such conversation.');
  const runs = await handle.listRuns({ cursor, limit });
  const profile = await handle.userMemory?.get();
  return {
    ...conversationRow(session, LIMITS.longText),
    metadata: session.metadata,
    ...(session.summary !== undefined && { summaryThroughSeq: session.summary.throughSeq }),
    ...(profile !== undefined && { profile: { scope: profile.scope, data: profile.data } }),
    runs: { ...runs, items: runs.items.map(runRow) },
  };
}

function conversationRow(session: ConversationSession, maxSummary: number): ConversationRow {
  const { key, userId, agentId, summary, createdAt, updatedAt } = session;
  return {
    kind: key.kind,
    sessionId: key.sessionId,
    ...withoutUndefined({ userId, agentId }),
    ...(summary !== undefined && { summary: shownText(summary.text, maxSummary) }),
    createdAt,
    updatedAt,
  };
}
