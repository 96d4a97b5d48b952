import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SqliteStore } from '@keepsake/sqlite';
import type { Backend } from './backend.ts';

export const sqlite: Backend = {
  name: 'sqlite',
  partByDay: true,
  async start() {
    const parent = mkdtempSync(join(tmpdir(), 'keepsake-langgraph-'));
    let places = 0;
    return {
      place() {
        const file = join(parent, String(++places), 'memory.db');
        mkdirSync(dirname(file));
        return { open: () => openFile(file), address: file };
      },
      stop: async () => rmSync(parent, { recursive: true, force: true, maxRetries: 20 }),
    };
  },
  reach: (file) => ({ store: openFile(file), close() {} }),
};

function openFile(file: string) {
  return new SqliteStore({ file, name: 'memory', durability: 'os' });
}
