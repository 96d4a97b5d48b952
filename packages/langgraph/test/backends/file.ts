import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import type { Backend } from './backend.ts';

export const file: Backend = {
  name: 'file',
  async start() {
    const parent = mkdtempSync(join(tmpdir(), 'keepsake-langgraph-'));
    let places = 0;
    return {
      place() {
        const directory = join(parent, String(++places));
        return { open: () => openDirectory(directory), address: directory };
      },
      stop: async () => rmSync(parent, { recursive: true, force: true }),
    };
  },
  reach: (directory) => ({ store: openDirectory(directory), close() {} }),
};

function openDirectory(directory: string) {
  return new FileStore({ directory, name: 'memory', durability: 'os' });
}
