import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import type { Backend } from './backend.ts';

export const sqlite: Backend = {
  name: 'sqlite',
  partByDay: true,
  async start() {
    const parent = mkdtempSync(join(tmpdir(), 'keepsake-namespaces-'));
    let places = 0;
    return {
      place() {
        const file = join(parent, String(++places), 'memory.db');
        mkdirSync(dirname(file));
        return { ...openFile(file), address: file, raw: async () => readAll(dirname(file)) };
      },
      stop: async () => rmSync(parent, { recursive: true, maxRetries: 20 }),
    };
  },
  reach: (file) => ({ ...openFile(file), close() {} }),
};

function openFile(file: string) {
  return {
    store: new SqliteStore({ file, name: 'memory', durability: 'os' }),
    sessions: new SqliteSessionStore({ file, durability: 'os' }),
  };
}

/** The database and the files beside it. */
function readAll(directory: string): string {
  const paths = readdirSync(directory).map((name) => join(directory, name));
  // Another process reads them: closing a file drops the locks that SQLite holds on it in this process.
  return execFileSync('cat', paths, { maxBuffer: 2 ** 31 }).toString('latin1');
}
