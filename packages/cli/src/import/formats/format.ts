import type { FoundEntry } from '../found-entry.ts';

/** A JSON object of unknown shape. */
export type UnknownObject = Readonly<Record<string, unknown>>;

/** An input format: how to detect and read it. */
export interface Format {
  /** As in `--format`. */
  readonly name: string;
  matches(value: UnknownObject): boolean;
  read(value: UnknownObject, place: string): Iterable<FoundEntry>;
  /**
   * Leaves out a value that can't be read, so that those after it keep their ids when it is corrected. Returns false if they
   * would not.
   */
  skip?(): boolean;
  /** Returns what had to wait for the end of the input. */
  end?(): Iterable<FoundEntry>;
}
