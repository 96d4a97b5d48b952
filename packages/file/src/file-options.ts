import { resolve } from 'node:path';
import { MemoryError } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import type { WithDefaults } from '@keepsake/internal';
import type { Durability } from './disk/disk.ts';
import { type OnCorrupt, warnOfCorruption } from './log/corruption.ts';

/** Where and how to store files. */
export interface FileOptions {
  /** Where Keepsake stores its files. Created by the first write. Any number of sessions and stores can share it. */
  readonly directory: string;
  /**
   * When a change is acknowledged: `'sync'`, once it is on the disk and survives a power cut; `'os'`, once the operating
   * system has it and it survives the end of this process.
   *
   * @default 'sync'
   */
  readonly durability?: Durability | undefined;
  /**
   * The permission bits of new files, less those that the umask takes away. Folders get the bits to open them in addition.
   * On Windows, the rights of the directory apply.
   *
   * @default 0o600
   */
  readonly fileMode?: number | undefined;
  /**
   * Called for damaged lines.
   *
   * @default A warning on the console for each.
   */
  readonly onCorrupt?: OnCorrupt | undefined;
}

/** The fields of {@link FileOptions}, for options that add their own. */
export const FILE_OPTIONS: FieldNames<FileOptions> = {
  directory: true,
  durability: true,
  fileMode: true,
  onCorrupt: true,
};

/** Fills in the defaults. Throws `INVALID_ARGUMENT` for invalid options. */
export function checkFileOptions(options: FileOptions): WithDefaults<FileOptions> {
  const { directory, durability = 'sync', fileMode = 0o600, onCorrupt = warnOfCorruption } = options ?? {};
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0')) {
    throw new MemoryError('INVALID_ARGUMENT', "`directory` must be a path, such as '.keepsake'.");
  }
  if (durability !== 'sync' && durability !== 'os') {
    throw new MemoryError('INVALID_ARGUMENT', "`durability` must be 'sync' or 'os'.");
  }
  if (!Number.isInteger(fileMode) || fileMode < 0 || fileMode > 0o666 || (fileMode & 0o711) !== 0o600) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      '`fileMode` must be permission bits for reading and writing that include those of the owner, such as 0o600 or 0o660.',
    );
  }
  if (typeof onCorrupt !== 'function') {
    throw new MemoryError('INVALID_ARGUMENT', '`onCorrupt` must be a function.');
  }
  return { directory: resolve(directory), durability, fileMode, onCorrupt };
}
