import type { JsonObject } from './json.ts';
import type { Page, PageOptions } from './page.ts';

/**
 * The conversation of now: an ordered list of JSON items under one id.
 *
 * Every Keepsake session is a valid `Session` of the OpenAI Agents SDK as it is. Items are stored as JSON: what JSON
 * can't hold is refused with `INVALID_ARGUMENT`, an item over 16 MiB with `TOO_LARGE`, before anything is written.
 * What goes in or comes out is never shared with the session.
 */
export interface Session<Item extends object = JsonObject> {
  /** The id of this session. It never changes, and asking for it writes nothing. */
  getSessionId(): Promise<string>;

  /**
   * The items, oldest first: the whole history, or its newest `limit` items.
   *
   * `undefined` and `NaN` mean no limit, 0 and less give `[]`, fractions round up. There is no default window: runners
   * compare against the full history. Damaged items are left out and reported, so the newest `limit` *valid* ones come.
   */
  getItems(limit?: number): Promise<Item[]>;

  /**
   * Appends the items as one batch: all of them or, on an error, none; next to one another and in order, however many
   * writers there are. `[]` writes nothing, and brings no session into being.
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
   * Changes the end of the history once for each operation id. The id and the change land in one atomic step.
   *
   * The same id with the same transaction again does nothing; equality is that of JSON, whatever the order of fields.
   * The last 1,000 operation ids of a session are remembered, until it is cleared.
   *
   * @throws MemoryError `CONFLICT`, changing nothing: the id was used with another transaction, or the history does not
   *   end with `expectedSuffix`.
   */
  applyHistoryTransaction(args: { operationId: string; transaction: SessionHistoryTransaction<Item> }): Promise<void>;

  /**
   * Replaces function calls: of the items `{ type: 'function_call', callId }` with the mutation's `callId` the first is
   * replaced and the others are dropped. An unknown `callId` changes nothing. All mutations land in one atomic step.
   */
  applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void>;

  /** Swaps the whole history for `items` in one atomic step; `[]` leaves an empty session. Operation ids stay known. */
  replaceHistoryWithCompaction(items: Item[]): Promise<void>;
}

/** A session as {@link SessionStore.list} shows it. Times are ISO 8601 with milliseconds, in UTC. */
export interface SessionInfo {
  readonly sessionId: string;
  readonly itemCount: number;
  /** When the first item was added. */
  readonly createdAt: string;
  /** When the session last changed. */
  readonly updatedAt: string;
}

/** Where sessions live. */
export interface SessionStore {
  /**
   * The session of that id, or one of a fresh id (a UUID version 7) where none is given. Writes nothing: a session
   * comes into being with its first item.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an id that is empty, over 512 characters, or holds NUL or a lone surrogate.
   */
  open<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item>;

  /** The sessions that have come into being and were not deleted, newest activity first. A cleared session is listed. */
  list(options?: PageOptions): Promise<Page<SessionInfo>>;

  /** Removes a session with all that belongs to it, and says whether it was there. */
  delete(sessionId: string): Promise<boolean>;
}
