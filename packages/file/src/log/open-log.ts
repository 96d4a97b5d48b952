import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import { isMissing } from '@keepsake/internal/node';
import { listFolder, openFile, refuseLinksAbove } from '../disk/disk.ts';
import { findLogs, type LogName } from '../disk/file-names.ts';
import type { OpenLog } from './backward-reader.ts';

/** How often to look for the log of a folder: it can be renamed between listing and opening. */
const MAX_LOOKS = 50;

/**
 * Opens the current log of a folder. Returns `undefined` if there is no folder.
 *
 * @throws MemoryError `CORRUPT` if the folder has no log.
 */
export async function openLog(folder: string, flags: number): Promise<OpenLog | undefined> {
  for (let look = 1; ; look++) {
    refuseLinksAbove(folder);
    const names = listFolder(folder);
    if (names.length === 0) return undefined;
    const [name] = findLogs(names);
    const log = name && openNamed(folder, name, flags);
    if (log !== undefined) return log;
    if (look === MAX_LOOKS)
      throw new MemoryError('CORRUPT', 'A folder has lost its log. Restore it from a backup, or remove the folder.');
    await sleep(look);
  }
}

/** Opens a log. Returns `undefined` if it was renamed. */
export function openNamed(folder: string, name: LogName, flags: number): OpenLog | undefined {
  try {
    return { name, handle: openFile(join(folder, name.name), flags) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
