import { join } from 'node:path';
import { Pauses } from '@keepsake/internal';
import { listFolder } from '../disk/disk.ts';
import { isFolderName } from '../disk/file-names.ts';
import { readHeader, spareHeader } from '../log/log-header.ts';

/** How many folders in `parent` hold a log of which nothing intact tells what it is of. Reads the beginning of every log. */
export async function countUnidentified(parent: string): Promise<number> {
  const pauses = new Pauses();
  let count = 0;
  for (const name of listFolder(parent).filter(isFolderName)) {
    const folder = join(parent, name);
    if (readHeader(folder) === 'damaged' && spareHeader(folder) === undefined) count++;
    await pauses.afterStep();
  }
  return count;
}
