import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mutateBytes } from './bytes.ts';
import type { Random } from './random.ts';

/** The files of a folder by their paths in it. */
export type Folder = ReadonlyMap<string, Uint8Array>;

export function readFolder(path: string): Folder {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name).slice(path.length + 1)).sort();
  return new Map(paths.map((file) => [file, readFileSync(join(path, file))]));
}

export function writeFolder(path: string, folder: Folder): void {
  for (const [file, bytes] of folder) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), bytes);
  }
}

/**
 * Changes a folder at a few places: what is in files, and which there are.
 *
 * @param mutateFile - Changes a file in its own format.
 */
export function mutateFolder(
  random: Random,
  folder: Folder,
  mutateFile: (random: Random, bytes: Uint8Array, path: string) => Uint8Array,
): Folder {
  const files = new Map(folder);
  for (let changes = 1 + random.whole(3); changes > 0 && files.size > 0; changes--) {
    const path = random.pick([...files.keys()]);
    const bytes = files.get(path) as Uint8Array;
    const kind = random.whole(10);
    if (kind < 6) files.set(path, mutateFile(random, bytes, path));
    else if (kind < 8) files.set(path, mutateBytes(random, bytes));
    else if (kind === 8) files.delete(path);
    else files.set(path, files.get(random.pick([...files.keys()])) as Uint8Array);
  }
  return files;
}
