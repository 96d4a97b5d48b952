import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSession, FileSessionStore, FileStore } from '@keepsake/file';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import type { Place } from '@keepsake/suites/whole-kit';
import type { Backend } from '../../src/cases.ts';

/** What a database of a driver has beside what is used of it. */
interface ClosableDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): never;
  close(): void;
}

export const FILE: Backend = {
  name: 'file',
  capabilities: new FileStore({ directory: 'nowhere', name: 'memory' }).capabilities,
  place: () =>
    inFolder((directory) => ({
      store: (options) => new FileStore({ directory, name: 'memory', ...options }),
      session: (sessionId) => new FileSession({ directory, sessionId }),
      sessions: () => new FileSessionStore({ directory }),
    })),
};

const { capabilities } = new SqliteStore({ file: 'nowhere.db', name: 'memory' });

export const SQLITE: Backend = {
  name: 'sqlite with a file',
  capabilities,
  place: () => inFolder((folder) => placeIn({ file: join(folder, 'memory.db') })),
};

/** The same on databases in memory of a driver. */
export function sqliteOn(driver: string, open: () => unknown): Backend {
  return {
    name: `sqlite on ${driver}`,
    capabilities,
    place() {
      const database = open() as ClosableDatabase;
      return { ...placeIn({ database }), close: () => database.close() };
    },
  };
}

function placeIn(where: { readonly file: string } | { readonly database: ClosableDatabase }): Place {
  return {
    store: (options) => new SqliteStore({ ...where, name: 'memory', ...options }),
    session: (sessionId) => new SqliteSession({ ...where, sessionId }),
    sessions: () => new SqliteSessionStore(where),
  };
}

function inFolder(place: (folder: string) => Place): Place {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-runtime-'));
  return { ...place(folder), close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }) };
}
