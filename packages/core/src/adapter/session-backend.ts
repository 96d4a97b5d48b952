import type { HistoryChange } from '../session/history.ts';

/**
 * One session in a backend, as an `AbstractSession` sees it. Items are JSON texts. Each call is atomic, and methods may
 * return their result or a promise of it.
 */
export interface SessionBackend {
  /** The newest items, oldest first: at most `limit`, or all of them. */
  newest(limit: number | undefined): readonly string[] | Promise<readonly string[]>;
  /** Appends items, in their order. The first call creates the session. */
  append(items: readonly string[]): void | Promise<void>;
  /**
   * Reads what `decide` asks for, and makes the edit that it returns. Nobody else may change the session in between: use a
   * transaction, or call `decide` again with what is there now. `decide` may throw.
   */
  change(asked: AskedHistory, decide: DecideEdit): void | Promise<void>;
}

/** What a decision is about. */
export interface AskedHistory {
  /** How many of the newest items to read, `undefined` for all. */
  readonly items: number | undefined;
  /** The operation whose digest to read. */
  readonly operationId?: string;
}

/** What a session looks like at the time of a decision. */
interface HistoryState {
  /** Whether the session exists. */
  readonly exists: boolean;
  /** The newest items that were asked for, oldest first. */
  readonly items: readonly string[];
  /** The digest that is remembered under the operation id that was asked for. */
  readonly digest?: string | undefined;
}

/** Returns the edit to make, or `undefined` for none. */
export type DecideEdit = (state: HistoryState) => HistoryEdit | undefined;

/** A change of a session. It creates the session if there is none. */
export interface HistoryEdit {
  /** How many of the newest items to remove; `Infinity` for all. */
  readonly drop: number;
  /** The items to append then. */
  readonly append: readonly string[];
  /** The operation to remember, in the same atomic step. `OPERATION_IDS` says for how long. */
  readonly operation?: Pick<HistoryChange, 'operationId' | 'digest'>;
  /** Whether to forget all operations. */
  readonly forgetOperations?: boolean;
}
