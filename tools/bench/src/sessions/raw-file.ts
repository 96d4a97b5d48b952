import { appendFileSync, closeSync, fstatSync, openSync, promises, readSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionKind } from './session-kind.ts';
import { type Turn, textOf } from './turn.ts';

/** The raw call of a promise-based API: the items as lines at the end of a file. No lock, no checksum. */
export const rawAppendFile = rawFile('fs.promises.appendFile', (path, lines) => promises.appendFile(path, lines));

/** The fastest way in Node, which blocks the process. */
export const rawAppendFileSync = rawFile('fs.appendFileSync', (path, lines) => {
  appendFileSync(path, lines);
  return undefined;
});

/** The raw call for data that must survive a power failure. */
export const rawFlushedFile = rawFile('fs.promises, write and fdatasync', async (path, lines) => {
  const file = await promises.open(path, 'a');
  try {
    await file.writeFile(lines);
    await file.datasync();
  } finally {
    await file.close();
  }
});

function rawFile(name: string, append: (path: string, lines: string) => Promise<void> | undefined): SessionKind {
  return {
    name,
    layout: 'raw',
    async open(directory, begin = []) {
      const path = join(directory, 'raw.jsonl');
      appendFileSync(path, begin.map(linesOf).join(''));
      return {
        append: (turn) => append(path, linesOf(turn)),
        newest: async (count) => readTail(path, count).map((line) => textOf(JSON.parse(line))),
      };
    },
  };
}

function linesOf({ items }: Turn): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

/** The last lines of a file, none of which is longer than 2 KiB. */
function readTail(path: string, count: number): string[] {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, count * 2048);
    const bytes = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length; ) {
      filled += readSync(file, bytes, filled, length - filled, size - length + filled);
    }
    return bytes.toString().split('\n').slice(0, -1).slice(-count);
  } finally {
    closeSync(file);
  }
}
