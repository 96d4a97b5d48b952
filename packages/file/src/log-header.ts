import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { readBytes } from './disk.ts';
import { listFolder } from './file-lock.ts';
import { findLogs } from './file-names.ts';
import { cutLines } from './log-line.ts';
import type { LogHeader } from './log-reader.ts';

/** No first line is longer: ids and namespaces have limits, but long namespaces of many segments need room. */
const HEADER_BYTES = 64 * 1024;

/** Reads whose log stands in a folder; `undefined` where there is none, or its first line is damaged. */
export function readHeader(folder: string): LogHeader | undefined {
  // A log may get another name in the moment between looking and opening.
  for (let attempt = 0; attempt < 20; attempt++) {
    const [log] = findLogs(listFolder(folder));
    if (log === undefined) continue;
    try {
      return readFirstLine(join(folder, log.name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

function readFirstLine(path: string): LogHeader | undefined {
  const file = openSync(path, 'r');
  try {
    const [first] = cutLines(readBytes(file, 0, HEADER_BYTES), 0).pieces;
    return first?.offset === 0 && first.json !== undefined ? (JSON.parse(first.json) as LogHeader) : undefined;
  } finally {
    closeSync(file);
  }
}
