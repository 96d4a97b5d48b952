import type { MemoryEntry } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

/** A store that notes what was found last, to be shown beside what a model gets to see of it. */
export class NotingStore extends FileStore {
  /** None where nothing was searched for, or that has failed. */
  found: readonly MemoryEntry[] | undefined;

  override async search(...query: Parameters<FileStore['search']>): Promise<MemoryEntry[]> {
    this.found = undefined;
    const found = await super.search(...query);
    this.found = found;
    return found;
  }
}
