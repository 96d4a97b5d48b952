import { Pauses } from '@keepsake/internal';
import { listFolder } from '../disk/disk.ts';
import { folderIn } from '../disk/file-names.ts';
import { findIdentity } from '../log/log-header.ts';

/** How many of these folders in `parent` hold files of which nothing intact tells what they are of. */
export async function countUnidentified(parent: string, names: Iterable<string>): Promise<number> {
  const pauses = new Pauses();
  let count = 0;
  for (const name of names) {
    const folder = folderIn(parent, name);
    if (findIdentity(folder, () => {}).of === undefined && listFolder(folder).length > 0) count++;
    await pauses.afterStep();
  }
  return count;
}
