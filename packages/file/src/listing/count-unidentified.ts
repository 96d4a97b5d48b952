import { Pauses } from '@keepsake/internal';
import { folderIn } from '../disk/file-names.ts';
import { readHeader, spareHeader } from '../log/log-header.ts';

/** How many of these folders in `parent` hold a log of which nothing intact tells what it is of. */
export async function countUnidentified(parent: string, names: Iterable<string>): Promise<number> {
  const pauses = new Pauses();
  let count = 0;
  for (const name of names) {
    const folder = folderIn(parent, name);
    if (readHeader(folder) === 'damaged' && spareHeader(folder) === undefined) count++;
    await pauses.afterStep();
  }
  return count;
}
