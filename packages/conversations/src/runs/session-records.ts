import { type JsonObject, MemoryError, type MemoryRecord, type Page, type PageOptions } from '@keepsake/core';
import { untilLanded } from './compare-and-set.ts';
import type { ConversationKind } from './kind.ts';
import { type Places, sessionRecordId } from './places.ts';

/** A session. Times are ISO 8601 with milliseconds, in UTC. */
export interface ConversationSession {
  readonly key: { readonly kind: ConversationKind; readonly sessionId: string; readonly tenant?: string };
  /** Whose it is; of nobody where no run named a user. */
  readonly userId?: string;
  /** Who saved the first run that named an agent. */
  readonly agentId?: string;
  readonly metadata: JsonObject;
  /** What was said up to the run of that `seq`. */
  readonly summary?: { readonly text: string; readonly throughSeq: number };
  /** 1 at first, one more at each change. */
  readonly version: number;
  readonly createdAt: string;
  /** When a run was saved last, or anything here was changed. */
  readonly updatedAt: string;
}

/** Up to which run something was made of the runs, and those before it that completed later and were not in it yet. */
export interface Progress {
  readonly throughSeq: number;
  readonly late: readonly number[];
}

/** What is stored of a session as one JSON text. */
export interface SessionBody {
  readonly agentId?: string;
  readonly metadata: JsonObject;
  readonly summary?: string;
  readonly summarised?: Progress;
  readonly analysed?: Progress;
  /** The history begins after the run of this `seq`. */
  readonly clearedThrough?: number;
  /** Runs up to there that waited then, and have completed since. */
  readonly completedSince?: readonly number[];
}

/** Where a history begins: after the run of a `seq`, and with some that were before it. */
export interface HistoryStart {
  readonly after: number;
  readonly since: readonly number[];
}

/** A session as it lies in the store. */
export interface StoredSession {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly userId: string | undefined;
  readonly body: SessionBody;
  readonly record: MemoryRecord;
}

/** What a change makes of a session. */
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
   * Changes a session, or brings it into being. `decide` sees it as it is and may be called again; what it throws goes
   * to the caller, and `undefined` leaves everything as it is.
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
      // First, so that no session of a user is missing from their list; the list leaves out what is not theirs.
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
      // Who tidied the list in between took this for a session that is gone.
      if (newOwner !== undefined) await this.#noteOwnerAgain(newOwner, kind, sessionId);
      return readSession(record);
    });
  }

  /** What this process itself would do to a record at the same time, it does one after the other. */
  #inTurn<T>(id: string, attempt: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#turns.get(id)]).then(() => untilLanded(attempt));
    this.#turns.set(id, turn);
    const end = () => {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    };
    turn.then(end, end);
    return turn;
  }

  /** The sessions of everyone, the newest first. */
  async list(kind: ConversationKind | undefined, options: PageOptions): Promise<Page<StoredSession>> {
    const page = await this.#places.sessions.list({ ...paging(options), ...ofKind(kind) });
    return { ...page, items: page.items.map(readSession) };
  }

  /** The sessions of a user, the newest first. A page may have fewer than asked for where there are more. */
  async listOf(userId: string, kind: ConversationKind | undefined, options: PageOptions): Promise<Page<StoredSession>> {
    const page = await this.#places.sessionsOf(userId).list({ ...paging(options), ...ofKind(kind) });
    const sessions = await Promise.all(page.items.map(({ id }) => this.#places.sessions.get(id)));
    const items = sessions.flatMap((record) => (record?.metadata.userId === userId ? [readSession(record)] : []));
    return { ...page, items };
  }

  /** All sessions of a user, the oldest first: also one that was cut off before it came into their list. */
  async *allOf(userId: string): AsyncGenerator<StoredSession> {
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? {} : { cursor };
      const page = await this.#places.sessions.list({ order: 'oldest', filter: { userId }, ...from });
      yield* page.items.map(readSession);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** Leaves nothing of a user's list, but of sessions that have come meanwhile. */
  async clearListOf(userId: string): Promise<void> {
    await this.#places.sessionsOf(userId).clear();
    for await (const { kind, sessionId } of this.allOf(userId)) await this.#noteOwner(userId, kind, sessionId);
  }

  /** Removes a session in the version in which it was read; `CONFLICT` where it is another by now. */
  async delete({ record, userId }: StoredSession): Promise<boolean> {
    const deleted = await this.#places.sessions.delete(record.id, { ifVersion: record.version });
    if (userId !== undefined) await this.#unlist(userId, record.id);
    return deleted;
  }

  async #unlist(userId: string, id: string): Promise<void> {
    await this.#places.sessionsOf(userId).delete(id);
    const record = await this.#places.sessions.get(id);
    if (record?.metadata.userId !== userId) return;
    // Somebody has begun it anew meanwhile: it stays in the list of its user.
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

/** Notes that a run completes that may have waited while the history was cleared. */
export function noteCompletedSince(body: SessionBody, seq: number): SessionBody {
  const { clearedThrough = 0, completedSince = [] } = body;
  if (seq > clearedThrough || completedSince.includes(seq)) return body;
  return { ...body, completedSince: [...completedSince, seq] };
}

/** A session as callers see it. */
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

/** Reads what was stored as JSON; `CORRUPT` for anything else, never a blank in its place. */
export function readBody<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new MemoryError('CORRUPT', 'A record of a conversation is no JSON: something else has written to it.', {
      cause,
    });
  }
}

function paging({ cursor, limit }: PageOptions): PageOptions {
  return { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) };
}

function ofKind(kind: ConversationKind | undefined) {
  return kind === undefined ? {} : { filter: { kind } };
}
