import type { HistoryChange } from '../session/history.ts';

/**
 * One session in a backend, as an `AbstractSession` sees it. Items are JSON texts. Each call is atomic, and methods may
 * return their result or a promise of it. A backend needs the first three; the others are for what it does better than they
 * can.
 *
 * Other programs and disks can damage items: an item that is no JSON object is damaged. The session skips these when it
 * reads, and lets no edit remove one, unless it clears the session.
 */
export interface SessionBackend {
  /** The newest items, oldest first: at most `limit`, which is 1 or more, and `Infinity` for all. */
  newest(limit: number): readonly StoredItem[] | Promise<readonly StoredItem[]>;
  /** Appends items, in their order. The first call creates the session. */
  append(items: readonly string[]): void | Promise<void>;
  /**
   * Reads what `decide` asks for, and makes the edit that it returns. Nobody else may change the session in between: use a
   * transaction, or call `decide` again with what is there now. `decide` may throw; then nothing changes.
   */
  change(asked: AskedHistory, decide: DecideEdit): void | Promise<void>;

  /**
   * Removes the newest item and returns its text, or `null` if there is none. `undefined`, and no change, leaves it to
   * `change`, as for a damaged item.
   */
  pop?(): Promise<string | null | undefined>;
  /**
   * Replaces and removes single items wherever they are. Reads at least those that contain one of the texts; `decide` returns
   * for each what is there then: the same text, another one, or `undefined` for nothing. Without this, `change` rewrites the
   * history from the first of them on.
   */
  edit?(texts: readonly string[], decide: DecideItems): void | Promise<void>;
  /** The newest items with numbers for `onDamage`, as `newest` reads them. Called when `newest` returned a damaged item. */
  numbered?(limit: number): Promise<readonly NumberedItem[]>;
  /** Called once for each damaged item that is read. Without this and `numbered`, the session warns on the console, once. */
  onDamage?(number: number): void;
  /** How a person can repair an item, for error messages. By default `'restore a backup'`. */
  readonly repair?: string;
}

/** An item as JSON text, or as an object that nobody else holds. */
export type StoredItem = string | object;

/** An item of which the number stays the same, whatever is appended. */
export interface NumberedItem {
  readonly number: number;
  readonly text: string;
}

/** What a decision is about. */
export interface AskedHistory {
  /** How many of the newest items to read, `Infinity` for all. */
  readonly items: number;
  /** Whether only damaged items matter: a backend that knows them may leave out the others. */
  readonly onlyDamaged?: boolean;
  /** The operation whose digest to read, and to remember with the edit in the same atomic step. `OPERATION_IDS` says how long. */
  readonly operation?: Operation | undefined;
  /**
   * What the caller expects to be there. A backend that makes an edit only where this holds may call `decide` with it first,
   * instead of reading.
   */
  readonly expected?: HistoryState;
}

/** An operation id, with a digest of what was done. */
type Operation = Pick<HistoryChange, 'operationId' | 'digest'>;

/** What a session looks like at the time of a decision. */
interface HistoryState {
  /** Whether the session exists. */
  readonly exists: boolean;
  /** The newest items that were asked for, oldest first: `''` for a damaged one of which nothing is left. */
  readonly items: readonly string[];
  /** The digest that is remembered under the operation id that was asked for. */
  readonly digest?: string | undefined;
}

/** Returns the edit to make, or `undefined` for none. */
export type DecideEdit = (state: HistoryState) => HistoryEdit | undefined;

/** See {@link SessionBackend.edit}. */
export type DecideItems = (items: readonly string[]) => readonly (string | undefined)[];

/** A change of a session. It creates the session if there is none. */
export interface HistoryEdit {
  /** How many of the newest items to remove: those of the state, or `Infinity` for all; for mutations, without `edit`, also fewer. */
  readonly drop: number;
  /** The items to append then. */
  readonly append: readonly string[];
  /** Whether to forget all operations. Then all items are removed, and none appended. */
  readonly forgetOperations?: boolean;
}
