const DEPTH = 2;
const UNITS = ['B', 'K', 'M', 'G'];

/** A file below a folder: its path from there, and its size. */
export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
}

/** A file has `bytes`, a folder has `entries`. */
interface Entry {
  bytes: number;
  entries?: Map<string, Entry>;
}

/** What `view` shows of a folder: two levels of it, without hidden files and node_modules. Sizes of folders include all below. */
export function folderListing(path: string, files: readonly ListedFile[]): string {
  const root = treeOf(files);
  const lines: string[] = [`${sizeOf(root.bytes)}\t${path}`];
  const visit = ({ entries }: Entry, parent: string, depth: number) => {
    for (const [name, entry] of [...(entries ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const shown = `${parent}/${name}`;
      lines.push(`${sizeOf(entry.bytes)}\t${shown}${entry.entries ? '/' : ''}`);
      if (depth < DEPTH) visit(entry, shown, depth + 1);
    }
  };
  visit(root, path, 1);
  const what = `up to ${DEPTH} levels deep in ${path}, excluding hidden items and node_modules`;
  return `Here're the files and directories ${what}:\n${lines.join('\n')}`;
}

function treeOf(files: readonly ListedFile[]): Entry {
  const root: Entry = { bytes: 0, entries: new Map() };
  for (const { path, bytes } of files) {
    let at = root;
    at.bytes += bytes;
    for (const name of path.split('/')) {
      at.entries ??= new Map();
      const next = at.entries.get(name) ?? { bytes: 0 };
      at.entries.set(name, next);
      next.bytes += bytes;
      at = next;
    }
  }
  return root;
}

function sizeOf(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const size = bytes / 1024 ** power;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${UNITS[power]}`;
}
