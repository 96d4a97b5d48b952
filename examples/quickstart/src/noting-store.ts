import type { MemoryEntry } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

/** A store that records what a turn found, to show it beside what the model gets to see. */
export class NotingStore extends FileStore {
  /** The results by search of the turn, in order: first for the question, then for its context. */
  #found: (readonly MemoryEntry[] | undefined)[] = [];

  /** The results of this turn's searches; `undefined` if there was no search or one failed. */
  get found(): readonly MemoryEntry[] | undefined {
    if (this.#found.length === 0 || this.#found.includes(undefined)) return undefined;
    const entries = this.#found.flatMap((list) => list ?? []);
    return [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()].reverse();
  }

  /** Clears the recorded results. */
  beginTurn(): void {
    this.#found = [];
  }

  override async search(...query: Parameters<FileStore['search']>): Promise<MemoryEntry[]> {
    const notes = this.#found;
    const place = notes.push(undefined) - 1;
    const found = await super.search(...query);
    notes[place] = found;
    return found;
  }
}
