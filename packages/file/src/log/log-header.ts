import { closeSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '@keepsake/internal/node';
import { listFolder, openFile, READ, readBytes } from '../disk/disk.ts';
import { findLock } from '../disk/file-lock.ts';
import { findLogs } from '../disk/file-names.ts';
import type { Report } from './corruption.ts';
import { cutLines } from './log-line.ts';
import { type LogHeader, parseLine } from './log-reader.ts';

/** The header's position, unless it was damaged at some time. */
const FIRST_BYTES = 64 * 1024;

/** What tells whose a folder is. */
export interface Identity {
  /** The id of the session or the namespace; `undefined` if damage has taken the header of the log and the copy in the lock. */
  readonly of: LogHeader['of'] | undefined;
  readonly hasLog: boolean;
}

/** Finds out whose a folder is, from its log or else from its lock. Reports a damaged log. */
export function findIdentity(folder: string, report: Report): Identity {
  const header = readHeader(folder);
  if (header === 'damaged') report(0, 0);
  const isIntact = header !== undefined && header !== 'damaged';
  return { of: (isIntact ? header : spareHeader(folder))?.of, hasLog: header !== undefined };
}

/** Returns `undefined` if there is no log, `'damaged'` if it does not name its session or namespace. */
export function readHeader(folder: string): LogHeader | 'damaged' | undefined {
  // A log can be renamed between listing and opening.
  for (let attempt = 0; attempt < 20; attempt++) {
    const [log] = findLogs(listFolder(folder));
    if (log === undefined) continue;
    try {
      return findHeader(join(folder, log.name)) ?? 'damaged';
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

/** The copy of the header in the lock of a folder; `undefined` if there is none that is intact. */
export function spareHeader(folder: string): LogHeader | undefined {
  // A lock can be renamed between listing and opening.
  for (let attempt = 0; attempt < 20; attempt++) {
    const lock = findLock(listFolder(folder));
    if (lock === undefined) continue;
    try {
      return findHeader(join(folder, lock.name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

/** Whether a folder is as it was created: with a lock, and a log that has only its header. */
export function isNew(folder: string): boolean {
  const names = listFolder(folder);
  const [log] = findLogs(names);
  if (log === undefined || names.length > 2) return false;
  const file = openFile(join(folder, log.name), READ);
  try {
    const bytes = readBytes(file, 0, FIRST_BYTES);
    const [header, ...others] = cutLines(bytes, 0).pieces;
    return header?.json !== undefined && header.end === bytes.length && others.length === 0;
  } finally {
    closeSync(file);
  }
}

function findHeader(path: string): LogHeader | undefined {
  const file = openFile(path, READ);
  try {
    return headerOf(file);
  } finally {
    closeSync(file);
  }
}

/** The header of an open log, or of another file that has a copy; `undefined` if there is none that is intact. */
export function headerOf(file: number): LogHeader | undefined {
  return headerIn(readBytes(file, 0, FIRST_BYTES)) ?? headerIn(readBytes(file, 0, fstatSync(file).size));
}

function headerIn(bytes: Buffer): LogHeader | undefined {
  for (const { json } of cutLines(bytes, 0).pieces) {
    const line = json === undefined ? undefined : parseLine(json);
    if (line !== undefined && 'keepsake' in line) return line;
  }
  return undefined;
}
