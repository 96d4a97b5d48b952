import type { Turn } from './turn.ts';

/** One way to keep a conversation. */
export interface SessionKind {
  readonly name: string;
  /** The column of a table in which a peer stands. */
  readonly column?: string;
  /** Kinds of one layout go on with each other's files. Missing where nothing is written to files. */
  readonly layout?: string;
  /**
   * Opens the session in a directory; another that is opened there goes on with it, where the kind writes files.
   *
   * @param begin - Turns to write first, in the quickest way that leaves what appending them would.
   */
  open(directory: string, begin?: readonly Turn[]): Promise<OpenSession>;
}

export interface OpenSession {
  /** Done when it returns, or when the promise resolves that it returns. */
  append(turn: Turn): Promise<void> | undefined;
  /** What the newest items say, oldest first. */
  newest(count: number): Promise<readonly string[]>;
}

/** Those who are compared. */
export interface Field {
  readonly raw: SessionKind;
  readonly keepsake: SessionKind;
  readonly peers: readonly SessionKind[];
}

export function kindsOf({ raw, keepsake, peers }: Field): SessionKind[] {
  return [raw, keepsake, ...peers];
}
