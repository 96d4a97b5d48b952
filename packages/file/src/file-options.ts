import { resolve } from 'node:path';
import { MemoryError } from '@keepsake/core';
import type { Durability } from './disk/disk.ts';
import { type OnCorrupt, warnOfCorruption } from './log/corruption.ts';

/** Where and how to keep files. */
export interface FileOptions {
  /** Where Keepsake keeps its files. Made with the first write. Several sessions and stores can share one. */
  readonly directory: string;
  /**
   * When a change counts as done: `'sync'`, once it is on the disk, so that it survives a power cut; `'os'`, once the
   * operating system has it, so that it survives the end of this process. By default `'sync'`.
   */
  readonly durability?: Durability;
  /** Is told of damaged lines. By default one warning on the console for each. */
  readonly onCorrupt?: OnCorrupt;
}

/** The options with their defaults; `INVALID_ARGUMENT` for what can't be used. */
export function checkFileOptions(options: FileOptions): Required<FileOptions> {
  const { directory, durability = 'sync', onCorrupt = warnOfCorruption } = options ?? {};
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0')) {
    throw new MemoryError('INVALID_ARGUMENT', "directory is to be the path of a directory, such as '.keepsake'.");
  }
  if (durability !== 'sync' && durability !== 'os') {
    throw new MemoryError('INVALID_ARGUMENT', "durability is to be 'sync' or 'os'.");
  }
  if (typeof onCorrupt !== 'function') {
    throw new MemoryError('INVALID_ARGUMENT', 'onCorrupt is to be a function.');
  }
  return { directory: resolve(directory), durability, onCorrupt };
}
