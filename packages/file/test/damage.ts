import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionFolder } from '../src/disk/file-names.ts';

/** The path of the log in a folder. */
export function logIn(folder: string): string {
  const log = readdirSync(folder).find((name) => name.endsWith('.jsonl') && name.startsWith('log-'));
  if (log === undefined) throw new Error('No log in this folder.');
  return join(folder, log);
}

/** The path of a session's log. */
export function sessionLog(directory: string, sessionId: string): string {
  return logIn(sessionFolder(directory, sessionId));
}

/** Flips a bit in the middle of an item's line. `index` counts items from 0. */
export function damageItem(directory: string, sessionId: string, index: number): void {
  const path = sessionLog(directory, sessionId);
  const lines = readFileSync(path, 'latin1').split('\n');
  const items = lines.flatMap((line, number) => (line.includes('"item":') ? [number] : []));
  const number = items[index];
  if (number === undefined) throw new Error(`No item ${index} in the log.`);
  const line = lines[number] as string;
  const middle = Math.floor(line.length / 2);
  lines[number] = line.slice(0, middle) + String.fromCharCode(line.charCodeAt(middle) ^ 4) + line.slice(middle + 1);
  writeFileSync(path, lines.join('\n'), 'latin1');
}
