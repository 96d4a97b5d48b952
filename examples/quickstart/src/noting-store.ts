import type { MemoryEntry } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

/** A store that notes what a turn found, to show it beside what a model gets to see of it. */
export class NotingStore extends FileStore {
  /** By search of the turn, in their order: the question comes before what was said around it. */
  #found: (readonly MemoryEntry[] | undefined)[] = [];

  /** What the searches of this turn found; `undefined` if there was none, or one failed. */
  get found(): readonly MemoryEntry[] | undefined {
    if (this.#found.length === 0 || this.#found.includes(undefined)) return undefined;
    const entries = this.#found.flatMap((list) => list ?? []);
    return [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()].reverse();
  }

  /** Forgets what was found before. */
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
