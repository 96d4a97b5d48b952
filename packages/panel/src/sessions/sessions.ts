import type { PageOptions } from '@keepsake/core';
import { oneOfElse, readQuery, requiredText, text, whole } from '../http/fields.ts';
import { notFound } from '../http/refusal.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type PageOf, type SessionRow, type SessionTimeline, type TextPiece } from '../protocol.ts';
import { textPiece } from '../shown-text.ts';
import { itemJson, timelineItem } from './timeline.ts';

const SESSIONS = {
  prefix: text(512),
  user: text(256),
  type: oneOfElse('user', 'service'),
  cursor: text(16_384),
  limit: whole(1, LIMITS.pageSize, LIMITS.defaultPageSize),
} as const;

/** Older items than this many are not shown: a session can only be read from its end. */
const MAX_ITEMS = 10_000;

/** Sessions of others that are passed over for one page of a user's. The page can have none, and a cursor, then. */
const MAX_READ = 10_000;

export async function listSessions({ config }: PanelParts, query: URLSearchParams): Promise<PageOf<SessionRow>> {
  const { prefix, user, type, cursor, limit } = readQuery(query, SESSIONS);
  const sessions = await config.sessions();
  const list = (page: PageOptions) => sessions.list({ ...page, ...(prefix !== undefined && { idPrefix: prefix }) });
  if (user === undefined) return list({ limit, cursor });
  const space = await config.space();
  const items: SessionRow[] = [];
  let [next, read] = [cursor, 0];
  do {
    const page = await list({ limit: LIMITS.pageSize, cursor: next });
    const owned = page.items.map((session) => ({ session, owner: space.sessionOwner(session.sessionId) }));
    items.push(...owned.flatMap(({ session, owner }) => (owner?.id === user && owner.type === type ? session : [])));
    read += page.items.length;
    next = page.cursor;
  } while (next !== undefined && items.length < limit && read < MAX_READ);
  return { items, ...(next !== undefined && { cursor: next }) };
}

const TIMELINE = {
  id: requiredText(512),
  skip: whole(0, MAX_ITEMS, 0),
  limit: whole(1, LIMITS.pageSize, LIMITS.pageSize),
} as const;

export async function getSession({ config }: PanelParts, query: URLSearchParams): Promise<SessionTimeline> {
  const { id, skip, limit } = readQuery(query, TIMELINE);
  // One more tells whether there are any before.
  const newest = await (await config.sessions()).open(id).getItems(skip + limit + 1);
  const end = newest.length - skip;
  const start = Math.max(0, end - limit);
  const items = newest.slice(start, Math.max(0, end));
  return {
    sessionId: id,
    items: items.map((item, index) => timelineItem(item, newest.length - 1 - start - index)),
    ...(start > 0 && (skip + limit < MAX_ITEMS ? { nextSkip: skip + limit } : { cutOff: true })),
  };
}

const ITEM = {
  id: requiredText(512),
  position: whole(0, MAX_ITEMS + LIMITS.pageSize, 0),
  offset: whole(0, 2 ** 31, 0),
} as const;

export async function getSessionItem({ config }: PanelParts, query: URLSearchParams): Promise<TextPiece> {
  const { id, position, offset } = readQuery(query, ITEM);
  const newest = await (await config.sessions()).open(id).getItems(position + 1);
  const item = newest.length > position ? newest[0] : undefined;
  if (item === undefined) throw notFound('There is no such item any more.');
  return textPiece(itemJson(item), offset);
}
