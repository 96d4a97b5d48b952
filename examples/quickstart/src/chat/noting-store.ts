import type { MemoryEntry, MemoryRecord } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

/** A store that notes what a turn found, to show it beside what the model gets to see, and what it added. */
export class NotingStore extends FileStore {
  /** The results by search of the turn, in order: first for the question, then for its context. */
  #found: (readonly MemoryEntry[] | undefined)[] = [];

  /** The results of this turn's searches; `undefined` if there was no search or one failed. */
  get found(): readonly MemoryEntry[] | undefined {
    if (this.#found.length === 0 || this.#found.includes(undefined)) return undefined;
    const entries = this.#found.flatMap((list) => list ?? []);
    return [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()].reverse();
  }

  #added: MemoryRecord[] = [];

  /** The records that this turn has added. */
  get added(): readonly MemoryRecord[] {
    return this.#added;
  }

  /** Clears what was noted. */
  beginTurn(): void {
    this.#found = [];
    this.#added = [];
  }

  override async addMessages(...messages: Parameters<FileStore['addMessages']>): Promise<MemoryRecord[]> {
    const records = await super.addMessages(...messages);
    this.#added.push(...records);
    return records;
  }

  override async search(...query: Parameters<FileStore['search']>): Promise<MemoryEntry[]> {
    const notes = this.#found;
    const place = notes.push(undefined) - 1;
    const found = await super.search(...query);
    notes[place] = found;
    return found;
  }
}
