import type { JsonObject } from '../json/json.ts';
import type { Page, PageOptions } from '../store/page.ts';

/**
 * An item of a session whose type is not named: any object, so that the session fits into any framework. Name the type, as in
 * `new FileSession<AgentInputItem>(…)`, to have items checked.
 */
// biome-ignore lint/suspicious/noExplicitAny: frameworks have their own types of items
export type AnyItem = any;

/**
 * The current conversation: an ordered list of JSON items under one id.
 *
 * Every Keepsake session is a valid `Session` of the OpenAI Agents SDK. Items are stored as JSON: values that are not JSON
 * are refused with `INVALID_ARGUMENT`, items over 16 MiB with `TOO_LARGE`, before anything is written. So are values whose
 * getters or proxies throw, with their error as the cause. Each value is read once. Arguments and results are never shared
 * with the session.
 */
export interface Session<Item extends object = AnyItem> {
  /** The id of this session. It never changes. Writes nothing. */
  getSessionId(): Promise<string>;

  /**
   * The items, oldest first: the whole history, or its newest `limit` items.
   *
   * `undefined` and `NaN` mean no limit, 0 and less give `[]`, fractions round up. There is no default window, because
   * runners compare against the full history. Damaged items are skipped and reported, so this returns the newest `limit`
   * *valid* items.
   */
  getItems(limit?: number): Promise<Item[]>;

  /**
   * Appends the items as one batch: all or, on an error, none; adjacent and in order, however many writers there are. `[]`
   * writes nothing and creates no session.
   */
  addItems(items: Item[]): Promise<void>;

  /** Removes and returns the newest item, exactly once even among many callers; `undefined` when there is none. */
  popItem(): Promise<Item | undefined>;

  /** Removes all items, and forgets the operation ids. The id stays, and the session can be used at once. */
  clearSession(): Promise<void>;
}

/** A change of a session's end. */
export type SessionHistoryTransaction<Item extends object = JsonObject> =
  | { type: 'append_items'; items: Item[] }
  | { type: 'replace_suffix'; expectedSuffix: Item[]; replacement: Item[] };

/** A change of a session's end that is made once, however often it is asked for. */
export interface SessionHistoryOperation<Item extends object = JsonObject> {
  /** 1 to 512 characters. Reuse it only to retry the same transaction. */
  operationId: string;
  transaction: SessionHistoryTransaction<Item>;
  /**
   * Identifies the transaction instead of its content, for wrappers such as `encrypted` that send other items on a retry. 1 to
   * 512 characters.
   *
   * @default The content of the transaction.
   */
  fingerprint?: string | undefined;
}

/** Replaces a function call, wherever it stands in the history. */
export type SessionHistoryMutation<Item extends object = JsonObject> = {
  type: 'replace_function_call';
  callId: string;
  replacement: Item;
};

/**
 * What a session can promise beyond {@link Session}, and every Keepsake adapter does: changes that are atomic and safe
 * to retry, and rewriting of history in place.
 */
export interface DurableSession<Item extends object = AnyItem> extends Session<Item> {
  /**
   * Changes the end of the history once per operation id. The id and the change are written atomically.
   *
   * Repeating an id with an equal transaction, or one with the same fingerprint, does nothing; the order of fields does not
   * matter.
   *
   * Until it is cleared, a session remembers every operation id for at least 30 days, whatever happens to its items. However
   * old they are, it also remembers the latest ids: as many as it has items, and at least 1,000. An id takes about 100 to 350
   * bytes of storage, depending on the backend.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an id that is blank or no valid id, and for fields that a transaction of its
   *   type does not have; `CONFLICT` if the id was used with another transaction, or the history does not end with
   *   `expectedSuffix`. Nothing changes then.
   */
  applyHistoryTransaction(args: SessionHistoryOperation<Item>): Promise<void>;

  /**
   * Replaces function calls: of the items `{ type: 'function_call', callId }` with the mutation's `callId`, the first is
   * replaced and the others are removed. An unknown `callId` changes nothing. All mutations are applied atomically.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an invalid mutation or unknown fields; nothing changes then.
   */
  applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void>;

  /** Atomically replaces the whole history with `items`; `[]` leaves an empty session. Keeps the operation ids. */
  replaceHistoryWithCompaction(items: Item[]): Promise<void>;
}

/** A session as listed by {@link SessionStore.list}. Times are ISO 8601 with milliseconds, in UTC. */
export interface SessionInfo {
  readonly sessionId: string;
  readonly itemCount: number;
  /** When the first item was added. */
  readonly createdAt: string;
  /** When the session last changed. */
  readonly updatedAt: string;
}

/** Which sessions to list. */
export interface SessionListOptions extends PageOptions {
  /** Only sessions whose id begins with this literal text, 1 to 512 characters. @default All. */
  readonly idPrefix?: string | undefined;
  /**
   * Only sessions whose id has exactly this segment between colons, as `formatNamespace` writes it: `{ segment: 'alice' }` lists
   * `guide:u:alice:s1`. Costs with the sessions that are listed, not with all, if the backend has an index. 1 to 256 characters, no
   * NUL, no lone surrogates.
   *
   * @default all sessions
   */
  readonly segment?: string | undefined;
}

/** A collection of sessions. */
export interface SessionStore {
  /** The absolute path of the directory with Keepsake's files that the sessions are in. Missing where there is none. */
  readonly directory?: string;

  /**
   * The session with that id, or with a new id (a UUID version 7). Writes nothing: the first item creates a session.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an id that is empty, over 512 characters, or contains NUL or a lone
   *   surrogate.
   */
  open<Item extends object = AnyItem>(sessionId?: string): DurableSession<Item>;

  /** Lists existing sessions, newest activity first, including cleared ones. */
  list(options?: SessionListOptions): Promise<Page<SessionInfo>>;

  /** Removes a session with everything that belongs to it. Returns whether it existed. */
  delete(sessionId: string): Promise<boolean>;

  /**
   * Removes deleted, replaced and expired data from storage. Missing on stores that never keep such data.
   */
  compact?(): Promise<void>;

  /**
   * The number of stored sessions whose id is lost by damage. No list contains them, so a user's erasure can't reach them.
   * Missing on stores where that can't happen.
   */
  unidentified?(): Promise<number>;
}
