import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes new, renamed and removed names in a folder survive a power failure. */
export function syncFolder(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, 'r');
  } catch {
    // Windows cannot open folders, and does not need to flush them.
    return;
  }
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
