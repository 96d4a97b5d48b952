import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Pauses } from '@keepsake/internal';
import { fileModeIn, openFile, READ, readBytes, writeAll } from '../disk/disk.ts';
import { temporaryName } from '../disk/file-names.ts';
import { cutLines, encodeLine } from '../log/log-line.ts';
import { overwrite } from './changes.ts';

/*
 * What a process knew of many folders, so that the next one need not read each of them. It is a cache of lines as in a log: a
 * header, and then a JSON list for each folder, which begins with the folder's name.
 */

export interface SavedHeader {
  readonly keepsake: string;
  readonly version: number;
}

const CHUNK_BYTES = 256 * 1024;
const CHUNK_LINES = 1_000;

/** The lines of a file that are intact, or none. */
export async function readSavedLines<Line>(path: string, header: SavedHeader): Promise<Line[]> {
  let file: number | undefined;
  try {
    file = openFile(path, READ);
    return await readLines<Line>(file, header);
  } catch {
    return [];
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

async function readLines<Line>(file: number, header: SavedHeader): Promise<Line[]> {
  const lines: Line[] = [];
  const pauses = new Pauses();
  const { size } = fstatSync(file);
  let isCurrent = false;
  for (let offset = 0; offset < size; ) {
    const bytes = readBytes(file, offset, CHUNK_BYTES);
    const { pieces, rest } = cutLines(bytes, offset);
    for (const { json, offset: at } of pieces) {
      if (at === 0) isCurrent = json === JSON.stringify(header);
      else if (json !== undefined) lines.push(JSON.parse(json) as Line);
    }
    // No line is longer than a chunk.
    if (!isCurrent || rest === bytes.length) break;
    offset += bytes.length - rest;
    await pauses.afterStep();
  }
  return isCurrent ? lines : [];
}

/** Replaces the file atomically. Does not flush it: after a power cut, the checksums show which lines are complete. */
export async function saveLines(path: string, header: SavedHeader, all: Iterable<readonly unknown[]>): Promise<void> {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: statSync(dirname(folder)).mode & 0o777 });
  const temporary = join(folder, temporaryName());
  const file = openSync(temporary, 'ax', fileModeIn(folder));
  try {
    const pauses = new Pauses();
    let lines = [encodeLine(JSON.stringify(header))];
    for (const one of all) {
      lines.push(encodeLine(JSON.stringify(one)));
      if (lines.length < CHUNK_LINES) continue;
      writeAll(file, Buffer.from(lines.join('')));
      lines = [];
      await pauses.afterStep();
    }
    writeAll(file, Buffer.from(lines.join('')));
    renameSync(temporary, path);
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}

/** Overwrites the line of a folder, which may tell an id. */
export function forgetLine(path: string, name: string): void {
  overwrite(path, JSON.stringify(name), (bytes) => [0, Math.max(0, bytes.indexOf('\n'))]);
}
