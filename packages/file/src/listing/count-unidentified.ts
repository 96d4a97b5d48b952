import { join } from 'node:path';
import { listFolder } from '../disk/disk.ts';
import { isFolderName } from '../disk/file-names.ts';
import { Slices } from '../disk/slices.ts';
import { readHeader, spareHeader } from '../log/log-header.ts';

/** How many folders in `parent` hold a log of which nothing intact tells what it is of. Reads the beginning of every log. */
export async function countUnidentified(parent: string): Promise<number> {
  const slices = new Slices();
  let count = 0;
  for (const name of listFolder(parent).filter(isFolderName)) {
    const folder = join(parent, name);
    if (readHeader(folder) === 'damaged' && spareHeader(folder) === undefined) count++;
    await slices.pause();
  }
  return count;
}
