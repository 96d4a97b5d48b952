import type { Page } from '@keepsake/core';
import { expect, expectKnownFields, pageLimit } from '@keepsake/core/adapter';
import { expectKind, expectSegment } from './expect.ts';
import {
  LIST_SESSIONS,
  LIST_UNFINISHED_RUNS,
  type ListSessionsOptions,
  type ListUnfinishedRunsOptions,
} from './list-options.ts';
import { type ConversationKind, KINDS } from './runs/kind.ts';
import { listUnfinished } from './runs/list-unfinished.ts';
import type { Places } from './runs/places.ts';
import { expectStatus, type ListedRun } from './runs/run.ts';
import { type ConversationSession, type StoredSession, toSession } from './runs/session.ts';
import type { SessionRecords } from './runs/session-records.ts';

/** The user who asks: `undefined` without a user, `null` for an operator. */
type Asking = string | null | undefined;

/** Lists sessions and unfinished runs. Without a user, those of one session: others without a user can't be listed together. */
export class Lists {
  readonly #places: Places;
  readonly #sessions: SessionRecords;
  readonly #tenant: string | undefined;

  constructor(places: Places, sessions: SessionRecords, tenant: string | undefined) {
    this.#places = places;
    this.#sessions = sessions;
    this.#tenant = tenant;
  }

  /** See `ConversationMemory.listSessions`. */
  async sessions(options: ListSessionsOptions, asking: Asking, sessionId: string): Promise<Page<ConversationSession>> {
    const { userId, allUsers, kind, ...paging } = expectKnownFields(options, LIST_SESSIONS);
    if (kind !== undefined) expectKind(kind);
    pageLimit(paging);
    const of = userOf({ userId, allUsers }, asking);
    if (of === undefined) return this.#sessionOfNobody(sessionId, kind);
    const page = await (of === null ? this.#sessions.list(kind, paging) : this.#sessions.listOf(of, kind, paging));
    return { ...page, items: page.items.map((stored) => toSession(stored, this.#tenant)) };
  }

  /** See `ConversationMemory.listRuns`. */
  async unfinishedRuns(options: ListUnfinishedRunsOptions, asking: Asking, own: string): Promise<Page<ListedRun>> {
    const checkedOptions = expectKnownFields(options, LIST_UNFINISHED_RUNS);
    const { userId, allUsers, kind, status, sessionId, ...paging } = checkedOptions;
    if (kind !== undefined) expectKind(kind);
    if (status !== undefined) expectStatus(status);
    expect(status !== 'completed', 'To list completed runs, use listRuns() of a handle: memory.for(kind).listRuns().');
    if (sessionId !== undefined) expectSegment(sessionId, 'sessionId');
    pageLimit(paging);
    const of = userOf({ userId, allUsers }, asking);
    const isListed = (session: StoredSession) =>
      of === null || (session.userId === of && (of !== undefined || session.sessionId === own));
    const query = { kind, sessionId, status, isListed };
    return listUnfinished(this.#places, this.#sessions, query, paging, this.#tenant);
  }

  async #sessionOfNobody(sessionId: string, kind: ConversationKind | undefined): Promise<Page<ConversationSession>> {
    const kinds = kind === undefined ? KINDS : [kind];
    const sessions = await Promise.all(kinds.map((one) => this.#sessions.get(one, sessionId)));
    const items = sessions.flatMap((stored) =>
      stored === undefined || stored.userId !== undefined ? [] : [toSession(stored, this.#tenant)],
    );
    return { items };
  }
}

/** The user that options name, `null` for all users. A missing user in a database is often `null`: that must not be all. */
export function userOf(
  { userId, allUsers = false }: Pick<ListSessionsOptions, 'userId' | 'allUsers'>,
  byDefault: Asking,
): Asking {
  expect(typeof allUsers === 'boolean', 'allUsers must be true or false.');
  expect(!allUsers || userId === undefined, 'Pass either userId or allUsers.');
  if (allUsers) return null;
  if (userId === undefined) return byDefault;
  expect(userId !== null, 'userId is null. Leave it out for the default user, or pass allUsers: true as an operator.');
  expectSegment(userId, 'userId');
  return userId;
}
