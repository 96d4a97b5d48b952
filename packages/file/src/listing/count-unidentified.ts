import { join } from 'node:path';
import { Pauses } from '@keepsake/internal';
import { listFolder } from '../disk/disk.ts';
import { isFolderName } from '../disk/file-names.ts';
import { readHeader, spareHeader } from '../log/log-header.ts';

/** How many folders in `parent`, apart from those that are listed, hold a log of which nothing intact tells what it is of. */
export async function countUnidentified(parent: string, isListed: (name: string) => boolean): Promise<number> {
  const pauses = new Pauses();
  let count = 0;
  for (const name of listFolder(parent).filter(isFolderName)) {
    if (isListed(name)) continue;
    const folder = join(parent, name);
    if (readHeader(folder) === 'damaged' && spareHeader(folder) === undefined) count++;
    await pauses.afterStep();
  }
  return count;
}
