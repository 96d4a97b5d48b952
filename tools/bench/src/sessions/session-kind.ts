import type { Turn } from './turn.ts';

/** A way to store a conversation. */
export interface SessionKind {
  readonly name: string;
  /** The table column of a peer. */
  readonly column?: string;
  /** Kinds with the same layout can read each other's files. Missing for kinds without files. */
  readonly layout?: string;
  /**
   * Opens the session in a directory. If the kind writes files, another instance there continues it.
   *
   * @param begin - Turns to write first, in the fastest way that is equivalent to appending them.
   */
  open(directory: string, begin?: readonly Turn[]): Promise<OpenSession>;
}

export interface OpenSession {
  /** One operation, synchronous or asynchronous. */
  append(turn: Turn): Promise<void> | undefined;
  /** The texts of the newest items, oldest first. */
  newest(count: number): Promise<readonly string[]>;
}

/** The kinds to compare. */
export interface Field {
  readonly raw: SessionKind;
  readonly keepsake: SessionKind;
  readonly peers: readonly SessionKind[];
}

export function kindsOf({ raw, keepsake, peers }: Field): SessionKind[] {
  return [raw, keepsake, ...peers];
}
