export interface ApiError {
  readonly error: {
    /** The code of a `MemoryError`, or one of the panel itself. */
    readonly code: string;
    /** What is wrong and what to do. May be shown. */
    readonly message: string;
  };
}

/** The codes that the panel adds to those of `MemoryError`. */
export type PanelErrorCode = 'NOT_FOUND' | 'FORBIDDEN' | 'UNAUTHENTICATED' | 'METHOD_NOT_ALLOWED' | 'INTERNAL';

/** One page. `cursor` is missing on the last. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

/** A text, or its beginning. */
export interface ShownText {
  readonly text: string;
  /** UTF-16 units of the whole text. */
  readonly length: number;
  readonly truncated: boolean;
}

/** A piece of a text of at most `LIMITS.longText` UTF-16 units. Also the answer of the item and file pieces. */
export interface TextPiece {
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  /** Missing at the end. */
  readonly nextOffset?: number;
}
