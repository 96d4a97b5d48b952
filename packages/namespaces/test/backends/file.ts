import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSessionStore, FileStore } from '@keepsake/file';
import type { Backend } from './backend.ts';

export const file: Backend = {
  name: 'file',
  async start() {
    const parent = mkdtempSync(join(tmpdir(), 'keepsake-namespaces-'));
    let places = 0;
    return {
      place() {
        const directory = join(parent, String(++places));
        return { ...openFiles(directory), address: directory, raw: async () => readAll(directory) };
      },
      stop: async () => rmSync(parent, { recursive: true }),
    };
  },
  reach: (directory) => ({ ...openFiles(directory), close() {} }),
};

function openFiles(directory: string) {
  return {
    store: new FileStore({ directory, name: 'memory', durability: 'os' }),
    sessions: new FileSessionStore({ directory, durability: 'os' }),
  };
}

function readAll(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path}\n${entry.isFile() ? readFileSync(path, 'latin1') : ''}`;
    })
    .join('\n');
}
