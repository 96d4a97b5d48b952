import type { JsonObject } from '../json/json.ts';
import type { Page, PageOptions } from '../store/page.ts';

/**
 * The current conversation: an ordered list of JSON items under one id.
 *
 * Every Keepsake session is a valid `Session` of the OpenAI Agents SDK. Items are stored as JSON: values that are not JSON
 * are refused with `INVALID_ARGUMENT`, items over 16 MiB with `TOO_LARGE`, before anything is written. Arguments and results
 * are never shared with the session.
 */
export interface Session<Item extends object = JsonObject> {
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
export interface DurableSession<Item extends object = JsonObject> extends Session<Item> {
  /**
   * Changes the end of the history once per operation id. The id and the change are written atomically.
   *
   * Repeating an id with an equal transaction does nothing; the order of fields does not matter. A session remembers its
   * last 1,000 operation ids until it is cleared.
   *
   * @throws MemoryError `CONFLICT`, and changes nothing, if the id was used with another transaction, or the history does
   *   not end with `expectedSuffix`.
   */
  applyHistoryTransaction(args: { operationId: string; transaction: SessionHistoryTransaction<Item> }): Promise<void>;

  /**
   * Replaces function calls: of the items `{ type: 'function_call', callId }` with the mutation's `callId`, the first is
   * replaced and the others are removed. An unknown `callId` changes nothing. All mutations are applied atomically.
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

/** A collection of sessions. */
export interface SessionStore {
  /**
   * The session with that id, or with a new id (a UUID version 7). Writes nothing: the first item creates a session.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an id that is empty, over 512 characters, or contains NUL or a lone
   *   surrogate.
   */
  open<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item>;

  /** Lists existing sessions, newest activity first, including cleared ones. */
  list(options?: PageOptions): Promise<Page<SessionInfo>>;

  /** Removes a session with everything that belongs to it. Returns whether it existed. */
  delete(sessionId: string): Promise<boolean>;
}
