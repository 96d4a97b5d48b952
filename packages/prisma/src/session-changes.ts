/*
 * What can be done to the items of a session. Each is one statement, so that it is done whole or not at all, and never
 * holds a connection while it waits for another: see postgres-sessions.ts and sqlite-sessions.ts.
 */

/** A session, and when it expires after a change: as before where there is no `ttlMs`. */
export interface Place {
  readonly sessionId: string;
  readonly ttlMs: number | undefined;
}

/** What tells whether a session still is as it was read. */
export interface SessionState {
  readonly key: number;
  /** Rises with every change but an append. */
  readonly version: number;
  /** The number of the item that was added last. */
  readonly lastSeq: number;
}

/** A change of a session that is as it was read. Items go by their numbers. */
export interface SessionChange {
  readonly state: SessionState;
  /** Whether it may have been added to since it was read. */
  readonly evenIfLonger?: boolean;
  /** The items from this one on are removed, */
  readonly from?: number | undefined;
  /** and these, */
  readonly removed?: readonly number[];
  /** those of the others that stand here get a new text, */
  readonly replaced?: readonly StoredItem[];
  /** and these are added. */
  readonly added?: readonly string[];
  /** How many items are more, or fewer, then. */
  readonly growth: number;
  readonly operation?: Operation | undefined;
}

/** An item as it is stored. */
export interface StoredItem {
  readonly seq: number;
  /** JSON. */
  readonly text: string;
}

/** What is remembered of a change, in the same step. */
export interface Operation {
  readonly operationId: string;
  readonly digest: string;
}

/** Changes sessions in one of the databases. */
export interface SessionWriter {
  /**
   * Adds items; the session comes into being with them. Says whether it did: not where the session has expired but is not
   * removed yet, where it knows the operation, and with `ifNew` where it is there.
   */
  add(place: Place, items: readonly string[], options?: AddOptions): Promise<boolean>;
  /** Says whether it was changed: not where it is another by now. */
  change(place: Place, change: SessionChange): Promise<boolean>;
  /** Removes all items and operation ids of a session that is there. */
  clear(place: Place): Promise<void>;
}

export interface AddOptions {
  readonly operation?: Operation | undefined;
  readonly ifNew?: boolean;
}
