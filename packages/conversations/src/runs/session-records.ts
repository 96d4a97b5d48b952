import { type JsonObject, MemoryError, type MemoryRecord, type Page, type PageOptions } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import { untilLanded } from './compare-and-set.ts';
import type { ConversationKind } from './kind.ts';
import { type Places, sessionRecordId } from './places.ts';

/** A session. Times are ISO 8601 with milliseconds, in UTC. */
export interface ConversationSession {
  readonly key: { readonly kind: ConversationKind; readonly sessionId: string; readonly tenant?: string };
  /** The owner; missing if no run named a user. */
  readonly userId?: string;
  /** The agent of the first run that named one. */
  readonly agentId?: string;
  readonly metadata: JsonObject;
  /** The summary up to the run with that `seq`. */
  readonly summary?: { readonly text: string; readonly throughSeq: number };
  /** Starts at 1 and rises by one with each change. */
  readonly version: number;
  readonly createdAt: string;
  /** The time of the last saved run or change. */
  readonly updatedAt: string;
}

/** The last processed run, and the earlier ones that completed later and are not processed yet. */
export interface Progress {
  readonly throughSeq: number;
  readonly late: readonly number[];
}

/** The stored form of a session, as one JSON text. */
export interface SessionBody {
  readonly agentId?: string;
  readonly metadata: JsonObject;
  readonly summary?: string;
  readonly summarised?: Progress;
  readonly analysed?: Progress;
  /** The history begins after the run of this `seq`. */
  readonly clearedThrough?: number;
  /** Earlier runs that were not complete then and have completed since. */
  readonly completedSince?: readonly number[];
}

/** The start of a history: after the run with a `seq`, plus some earlier runs. */
export interface HistoryStart {
  readonly after: number;
  readonly since: readonly number[];
}

/** A stored session. */
export interface StoredSession {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly userId: string | undefined;
  readonly body: SessionBody;
  readonly record: MemoryRecord;
}

/** The result of a change. */
export interface SessionChange {
  readonly userId?: string | undefined;
  readonly body: SessionBody;
}

export class SessionRecords {
  readonly #places: Places;
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(places: Places) {
    this.#places = places;
  }

  async get(kind: ConversationKind, sessionId: string): Promise<StoredSession | undefined> {
    const record = await this.#places.sessions.get(sessionRecordId(kind, sessionId));
    return record && readSession(record);
  }

  /**
   * Changes or creates a session. Calls `decide` with the current session, maybe more than once. Errors it throws go to the
   * caller; if it returns `undefined`, nothing changes.
   */
  change(
    kind: ConversationKind,
    sessionId: string,
    decide: (known: StoredSession | undefined) => SessionChange | undefined,
  ): Promise<StoredSession | undefined> {
    return this.#inTurn(sessionRecordId(kind, sessionId), async () => {
      const known = await this.get(kind, sessionId);
      const change = decide(known);
      if (change === undefined) return known;
      const { userId = known?.userId, body } = change;
      const newOwner = known?.userId === userId ? undefined : userId;
      // First, so that no session is missing from its user's list. The list skips entries that are not theirs.
      if (newOwner !== undefined) await this.#noteOwner(newOwner, kind, sessionId);
      const record = await this.#places.sessions.put(
        {
          id: sessionRecordId(kind, sessionId),
          content: JSON.stringify(body),
          metadata: { kind, sessionId, ...(userId === undefined ? {} : { userId }) },
          index: false,
        },
        { ifVersion: known?.record.version ?? 0 },
      );
      // A concurrent cleanup of the list may have taken this for a removed session.
      if (newOwner !== undefined) await this.#noteOwnerAgain(newOwner, kind, sessionId);
      return readSession(record);
    });
  }

  /** Serializes this process's own changes to a record. */
  #inTurn<T>(id: string, attempt: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#turns.get(id)]).then(() => untilLanded(attempt));
    this.#turns.set(id, turn);
    const end = () => {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    };
    turn.then(end, end);
    return turn;
  }

  /** All users' sessions, newest first. */
  async list(kind: ConversationKind | undefined, options: PageOptions): Promise<Page<StoredSession>> {
    const page = await this.#places.sessions.list({ ...paging(options), ...ofKind(kind) });
    return { ...page, items: page.items.map(readSession) };
  }

  /** The sessions of a user, newest first. A page can have fewer than requested even if there are more. */
  async listOf(userId: string, kind: ConversationKind | undefined, options: PageOptions): Promise<Page<StoredSession>> {
    const page = await this.#places.sessionsOf(userId).list({ ...paging(options), ...ofKind(kind) });
    const sessions = await Promise.all(page.items.map(({ id }) => this.#places.sessions.get(id)));
    const items = sessions.flatMap((record) => (record?.metadata.userId === userId ? [readSession(record)] : []));
    return { ...page, items };
  }

  /** All sessions of a user, oldest first, including one whose creation was interrupted before it was listed. */
  async *allOf(userId: string): AsyncGenerator<StoredSession> {
    const { sessions } = this.#places;
    const list = (page: PageOptions) => sessions.list({ ...page, order: 'oldest', filter: { userId } });
    for await (const record of allItems(list, { limit: 100 })) yield readSession(record);
  }

  /** Removes a user's list, except entries of sessions created in the meantime. */
  async clearListOf(userId: string): Promise<void> {
    await this.#places.sessionsOf(userId).clear();
    for await (const { kind, sessionId } of this.allOf(userId)) await this.#noteOwner(userId, kind, sessionId);
  }

  /** Removes a session if its version is unchanged, else throws `CONFLICT`. */
  async delete({ record, userId }: StoredSession): Promise<boolean> {
    const deleted = await this.#places.sessions.delete(record.id, { ifVersion: record.version });
    if (userId !== undefined) await this.#unlist(userId, record.id);
    return deleted;
  }

  async #unlist(userId: string, id: string): Promise<void> {
    await this.#places.sessionsOf(userId).delete(id);
    const record = await this.#places.sessions.get(id);
    if (record?.metadata.userId !== userId) return;
    // It was created again in the meantime, so it stays in its user's list.
    const { kind, sessionId } = readSession(record);
    await this.#noteOwner(userId, kind, sessionId);
  }

  async #noteOwner(userId: string, kind: ConversationKind, sessionId: string): Promise<void> {
    const id = sessionRecordId(kind, sessionId);
    await this.#places.sessionsOf(userId).put({ id, content: id, metadata: { kind }, index: false });
  }

  async #noteOwnerAgain(userId: string, kind: ConversationKind, sessionId: string): Promise<void> {
    const noted = await this.#places.sessionsOf(userId).get(sessionRecordId(kind, sessionId));
    if (noted === undefined) await this.#noteOwner(userId, kind, sessionId);
  }
}

export function historyStart({ clearedThrough = 0, completedSince = [] }: SessionBody): HistoryStart {
  return { after: clearedThrough, since: completedSince };
}

/** Records that a run completes that may have been pending while the history was cleared. */
export function noteCompletedSince(body: SessionBody, seq: number): SessionBody {
  const { clearedThrough = 0, completedSince = [] } = body;
  if (seq > clearedThrough || completedSince.includes(seq)) return body;
  return { ...body, completedSince: [...completedSince, seq] };
}

/** A session as returned to callers. */
export function toSession(stored: StoredSession, tenant: string | undefined): ConversationSession {
  const { kind, sessionId, userId, body, record } = stored;
  const { agentId, metadata, summary, summarised } = body;
  return {
    key: { kind, sessionId, ...(tenant === undefined ? {} : { tenant }) },
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    metadata,
    ...(summary === undefined ? {} : { summary: { text: summary, throughSeq: summarised?.throughSeq ?? 0 } }),
    version: record.version,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

function readSession(record: MemoryRecord): StoredSession {
  const { kind, sessionId, userId } = record.metadata as { kind: ConversationKind; sessionId: string; userId?: string };
  return { kind, sessionId, userId, body: readBody<SessionBody>(record.content), record };
}

/** Parses stored JSON. Throws `CORRUPT` for anything else rather than returning an empty value. */
export function readBody<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new MemoryError(
      'CORRUPT',
      'A record of a conversation is not JSON. Another program may have written to it.',
      {
        cause,
      },
    );
  }
}

function paging({ cursor, limit }: PageOptions): PageOptions {
  return { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) };
}

function ofKind(kind: ConversationKind | undefined) {
  return kind === undefined ? {} : { filter: { kind } };
}
