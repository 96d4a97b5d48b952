import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import type { Backend } from './backend.ts';

export function file(): Backend {
  const directories: string[] = [];
  return {
    name: 'FileStore',
    shared: true,
    makePlace() {
      const directory = mkdtempSync(join(tmpdir(), 'keepsake-conversations-'));
      directories.push(directory);
      return {
        address: ['file', directory],
        open: () => new FileStore({ directory, name: 'conversations', durability: 'os' }),
        bytesOnDisk: () => bytesIn(directory),
      };
    },
    async stop() {
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    },
  };
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
