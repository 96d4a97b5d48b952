/** A text that was injected. */
export interface Injected {
  readonly text: string;
  /** Hashes of the memories in it, each as it is shown. */
  readonly shown: readonly string[];
  /** Whether it shows a memory that was deleted since. */
  readonly isStale?: () => boolean;
}

/** A message of the user, with the text injected after it. */
export interface Turn {
  injected?: Injected | undefined;
  /** Whether the text is final, even if there is none. */
  isDone?: boolean;
  /** The work on the text, while it lasts. */
  rendering?: Rendering | undefined;
}

/** Work on the text of a turn, and the number of calls that wait for it. */
export interface Rendering {
  readonly done: Promise<void>;
  readonly control: AbortController;
  callers: number;
  isPending: boolean;
}

/** A turn and the index of its message. */
export interface Place {
  readonly index: number;
  readonly turn: Turn;
}
