import { closeSync, fstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '@keepsake/internal/node';
import { fileModeIn, listFolder, openFile, READ, readBytes } from '../disk/disk.ts';
import { damagedName, isDamagedName } from '../disk/file-names.ts';
import type { OpenLog } from './backward-reader.ts';
import type { LogPiece } from './log-line.ts';

/*
 * What is left of damaged lines is kept in files beside the log, because a person may still repair it.
 */

/** Saves the remains of damaged lines to a file. */
export function setAside(folder: string, log: OpenLog, pieces: readonly LogPiece[]): void {
  writeRemains(
    folder,
    pieces.map(({ offset, end }) => readBytes(log.handle, offset, end - offset)),
  );
}

/** Deletes all remains that were saved. */
export function removeRemains(folder: string): void {
  for (const name of listFolder(folder).filter(isDamagedName)) rmSync(join(folder, name), { force: true });
}

/** Deletes the lines for which `discard` returns true. The lock must be held. */
export function discardRemains(folder: string, discard: (remains: string) => boolean): void {
  for (const name of listFolder(folder).filter(isDamagedName)) {
    const lines = linesOf(readFile(join(folder, name)));
    const kept = lines.filter((line) => !discard(line.toString()));
    if (kept.length === lines.length) continue;
    // After a crash in between, a line is there twice, but none is lost.
    if (kept.length > 0) writeRemains(folder, kept);
    rmSync(join(folder, name), { force: true });
    syncFolder(folder);
  }
}

function writeRemains(folder: string, remains: readonly Buffer[]): void {
  writeFileSync(join(folder, damagedName()), Buffer.concat(remains), {
    flag: 'wx',
    mode: fileModeIn(folder),
    flush: true,
  });
}

function readFile(path: string): Buffer {
  const file = openFile(path, READ);
  try {
    return readBytes(file, 0, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

/** The lines with their ends. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start) + 1 || bytes.length;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}
