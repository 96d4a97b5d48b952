import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileModeIn, openFile, READ, readBytes, writeAll } from '../disk/disk.ts';
import { indexFolder, temporaryName } from '../disk/file-names.ts';
import { cutLines, encodeLine } from '../log/log-line.ts';
import { overwrite } from './changes.ts';
import type { KnownFolder } from './known-folder.ts';
import { Slices } from './slices.ts';

/*
 * The saved list is what a process knew of all sessions, so that the next one need not read the end of every log. It is a cache:
 * an entry is used only if its folder was not touched since. Lines as in a log, a header and then one for each folder.
 */

const HEADER = { keepsake: 'session-list', version: 1 } as const;
const CHUNK_BYTES = 256 * 1024;
const CHUNK_ENTRIES = 1_000;

type SavedFolder = readonly [
  name: string,
  stamp: number,
  ...info: readonly [string, number, string, string] | readonly [],
];

function listPath(parent: string): string {
  return join(indexFolder(parent), 'list');
}

/** The entries of the saved list that are intact, or none. */
export async function readSavedList(parent: string): Promise<KnownFolder[]> {
  let file: number | undefined;
  try {
    file = openFile(listPath(parent), READ);
    return await readEntries(file);
  } catch {
    return [];
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

async function readEntries(file: number): Promise<KnownFolder[]> {
  const known: KnownFolder[] = [];
  const slices = new Slices();
  const { size } = fstatSync(file);
  let isCurrent = false;
  for (let offset = 0; offset < size; ) {
    const bytes = readBytes(file, offset, CHUNK_BYTES);
    const { pieces, rest } = cutLines(bytes, offset);
    for (const { json, offset: at } of pieces) {
      if (at === 0) isCurrent = json === JSON.stringify(HEADER);
      else if (json !== undefined) known.push(decode(JSON.parse(json) as SavedFolder));
    }
    // No line is longer than a chunk.
    if (!isCurrent || rest === bytes.length) break;
    offset += bytes.length - rest;
    await slices.pause();
  }
  return isCurrent ? known : [];
}

/** Replaces the saved list atomically. Does not flush it: after a power cut, the checksums show which lines are complete. */
export async function saveList(parent: string, known: Iterable<KnownFolder>): Promise<void> {
  const folder = indexFolder(parent);
  mkdirSync(folder, { recursive: true, mode: statSync(parent).mode & 0o777 });
  const temporary = join(folder, temporaryName());
  const file = openSync(temporary, 'ax', fileModeIn(folder));
  try {
    const slices = new Slices();
    let lines = [encodeLine(JSON.stringify(HEADER))];
    for (const one of known) {
      lines.push(encodeLine(JSON.stringify(encode(one))));
      if (lines.length < CHUNK_ENTRIES) continue;
      writeAll(file, Buffer.from(lines.join('')));
      lines = [];
      await slices.pause();
    }
    writeAll(file, Buffer.from(lines.join('')));
    renameSync(temporary, listPath(parent));
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}

/** Removes a folder from the saved list, which may tell its session's id. */
export function forgetSaved(parent: string, name: string): void {
  overwrite(listPath(parent), JSON.stringify(name), (bytes) => [0, Math.max(0, bytes.indexOf('\n'))]);
}

function encode({ name, stamp, session }: KnownFolder): SavedFolder {
  if (session === undefined) return [name, stamp];
  return [name, stamp, session.sessionId, session.itemCount, session.createdAt, session.updatedAt];
}

function decode([name, stamp, ...info]: SavedFolder): KnownFolder {
  const [sessionId, itemCount, createdAt, updatedAt] = info;
  if (sessionId === undefined) return { name, stamp, isSettled: true, session: undefined };
  return {
    name,
    stamp,
    isSettled: true,
    session: { sessionId, itemCount, createdAt, updatedAt } as KnownFolder['session'],
  };
}
