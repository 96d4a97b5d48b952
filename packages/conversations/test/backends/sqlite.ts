import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '@keepsake/sqlite';
import type { Backend } from './backend.ts';

export function sqlite(): Backend {
  const directories: string[] = [];
  const stores: SqliteStore[] = [];
  return {
    name: 'SqliteStore',
    shared: true,
    partByDay: true,
    makePlace() {
      const directory = mkdtempSync(join(tmpdir(), 'keepsake-conversations-'));
      directories.push(directory);
      const file = join(directory, 'conversations.sqlite');
      return {
        address: ['sqlite', file],
        open() {
          const store = new SqliteStore({ file, name: 'conversations', durability: 'os' });
          stores.push(store);
          return store;
        },
      };
    },
    async stop() {
      await Promise.all(stores.map((store) => store.close()));
      for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
