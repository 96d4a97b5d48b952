import { closeSync, fdatasync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** When a write counts as done: on the disk (`sync`), or with the operating system (`os`). */
export type Durability = 'sync' | 'os';

/** Opens a file, hands it over, and closes it whatever happens. */
export async function withFile<T>(path: string, flags: string, use: (file: number) => T | Promise<T>): Promise<T> {
  const file = openSync(path, flags);
  try {
    return await use(file);
  } finally {
    closeSync(file);
  }
}

/** Writes all bytes at the file's end (for files opened to append), and waits for the disk where asked to. */
export async function writeAll(file: number, bytes: Buffer, durability: Durability): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  if (durability === 'sync') await flush(file);
}

const flush = promisify(fdatasync);

/** Reads `length` bytes from `offset`, or fewer where the file ends before. */
export function readBytes(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, bytes, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** Makes new, renamed and removed names of a folder outlast a power cut. */
export function syncFolder(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, 'r');
  } catch {
    // Windows can't open folders, and needs no flushing of them.
    return;
  }
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
