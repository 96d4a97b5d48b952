import { closeSync, fstatSync, lstatSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pauses } from '@keepsake/internal';
import { isMissing, syncFolder } from '@keepsake/internal/node';
import { listFolder, openFile, READ, readBytes, syncData, writeAll } from '../disk/disk.ts';
import { findLock, freeLock } from '../disk/file-lock.ts';
import { isDamagedName, newLogName } from '../disk/file-names.ts';
import { headerOf, spareHeader } from '../log/log-header.ts';
import { encodeLine, type LogPiece } from '../log/log-line.ts';
import { parseLine } from '../log/log-reader.ts';
import { openLog } from '../log/open-log.ts';
import { tailsOf } from '../log/tails.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Copies the folder of a session or namespace. Returns the size of its log, or `undefined` if the folder does not exist.
 *
 * A log only grows, and a compaction leaves the old one as it is. So what the log had when it was opened is a state of the
 * folder, without the part of a batch that was being written. The lock of the copy is a new one: that of the folder may be held,
 * or be renamed right now.
 */
export async function copyFolder(from: string, to: string): Promise<number | undefined> {
  const log = await openLog(from, READ);
  const folder = lstatSync(from, { throwIfNoEntry: false });
  if (log === undefined || folder === undefined) return undefined;
  try {
    const { name } = log;
    const files = { mode: folder.mode & 0o666 };
    mkdirSync(to, { mode: folder.mode & 0o777 });
    const bytes = endToCopy(from, log.handle);
    await copyOpen(log.handle, bytes, join(to, newLogName(name.generation, name.number)), files.mode);
    const names = listFolder(from);
    // A generation that no writer has had, so that all that it writes later is void in the copy too.
    const generation = Math.max(name.generation, findLock(names)?.generation ?? 0) + 1;
    const header = headerOf(log.handle) ?? spareHeader(from);
    writeFileSync(join(to, freeLock(generation)), header ? encodeLine(JSON.stringify(header)) : '', {
      ...files,
      flush: true,
    });
    // After the log: a compaction sets damaged lines aside before it replaces the log.
    for (const remains of names.filter(isDamagedName))
      await copyFile(join(from, remains), join(to, remains), files.mode);
    syncFolder(to);
    return bytes;
  } finally {
    closeSync(log.handle);
  }
}

/**
 * The end of what to copy of a log. What a failed write or a disk left of a batch is copied, and `checkDirectory` reports it as in
 * the original: only a writer makes the log grow or holds its lock.
 */
function endToCopy(folder: string, log: number): number {
  const { size } = fstatSync(log);
  const lock = findLock(listFolder(folder));
  const isWriting = lock === undefined || lock.holder !== undefined || fstatSync(log).size !== size;
  return isWriting ? completeEnd(log, size) : size;
}

async function copyFile(from: string, to: string, mode: number): Promise<void> {
  let file: number;
  try {
    file = openFile(from, READ);
  } catch (error) {
    // The store was emptied.
    if (isMissing(error)) return;
    throw error;
  }
  try {
    await copyOpen(file, fstatSync(file).size, to, mode);
  } finally {
    closeSync(file);
  }
}

/** Copies the first `size` bytes of an open file. */
async function copyOpen(from: number, size: number, path: string, mode: number): Promise<void> {
  const to = openSync(path, 'ax', mode);
  try {
    const pauses = new Pauses();
    for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
      writeAll(to, readBytes(from, offset, Math.min(CHUNK_BYTES, size - offset)));
      await pauses.afterStep();
    }
    await syncData(to);
  } finally {
    closeSync(to);
  }
}

/**
 * Where the last complete batch within the first `size` bytes of a log ends. A damaged line counts as the end of one, because
 * nobody knows.
 */
function completeEnd(log: number, size: number): number {
  for (const { pieces } of tailsOf(log, size)) {
    const last = pieces.findLast(endsBatch);
    if (last !== undefined) return last.end;
  }
  return size;
}

function endsBatch({ json }: LogPiece): boolean {
  const line = json === undefined ? undefined : parseLine(json);
  return line === undefined || 'keepsake' in line || line.number === line.last;
}
