import type { Opened } from '../backends.ts';

/** One of the users that make the load. */
export interface User {
  /** Makes a random operation and checks its answer. Returns whether it changed anything. */
  act(): Promise<'read' | 'change'>;
  /** Goes on with new instances. */
  reopen(opened: Opened): void;
  /** Compares everything there with what must be there. */
  check(): Promise<void>;
  /** Deletes everything. */
  remove(): Promise<void>;
}

/** Random choices of a user. */
export class Choices {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A whole number from 0 to below `end`. */
  whole(end: number): number {
    return Math.floor(this.#random() * end);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.whole(from.length)] as T;
  }

  /** A text of words, of which the first of the vocabulary are the commonest. */
  text(words: number): string {
    return Array.from({ length: 1 + this.whole(words) }, () => this.word()).join(' ');
  }

  /** Word `n` of 2,000 comes with a chance that falls as 1/n. */
  word(): string {
    return `word${Math.floor(2000 ** this.#random())}`;
  }
}
