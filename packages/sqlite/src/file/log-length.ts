import { fromNode } from './from-node.ts';

/* The format is in https://sqlite.org/fileformat2.html#walformat. */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Offsets of numbers of four bytes. */
const PAGE_SIZE = 8;
const SALT = 16;
const FRAME_SALT = 8;

/** The path of the write-ahead log of a database. */
export function logOf(file: string): string {
  return `${file}-wal`;
}

/**
 * Whether the write-ahead log of a database has at least `frames` frames, one for each page that was written; `false` without
 * a log. The size of its file tells less: SQLite begins again at the start of the file, under another salt.
 *
 * @param frames depends on the salt of the log, which its header and its frames have
 */
export function isLogLong(file: string, frames: (salt: number) => number): boolean {
  const { closeSync, openSync, readSync } = fromNode('node:fs');
  let descriptor: number | undefined;
  try {
    descriptor = openSync(logOf(file), 'r');
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(descriptor, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false;
    const salt = header.readUInt32BE(SALT);
    const place = HEADER_BYTES + (frames(salt) - 1) * (FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE));
    const frame = Buffer.alloc(FRAME_HEADER_BYTES);
    return readSync(descriptor, frame, 0, FRAME_HEADER_BYTES, place) > 0 && frame.readUInt32BE(FRAME_SALT) === salt;
  } catch {
    // SQLite has no log on disks without shared memory.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
