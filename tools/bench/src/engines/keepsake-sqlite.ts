import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from '@keepsake/sqlite';
import type { Engine, OpenEngine, Setting } from './engine.ts';
import { idOf, placeOf } from './entry-ids.ts';

const BATCH = 500;

/** A batch is acknowledged once it is on the disk. */
export const keepsakeSqliteFile: Engine = {
  name: 'SqliteStore',
  open: async (setting) => openStore(setting),
  reopen: async (setting) => openStore(setting),
};

function openStore({ directory }: Setting): OpenEngine {
  const file = join(directory, 'memory.db');
  const store = new SqliteStore({ file, name: 'bench' });
  let textBytes = 0;
  return {
    async add(entries) {
      for (let from = 0; from < entries.length; from += BATCH) {
        const batch = entries.slice(from, from + BATCH);
        await store.putMany(batch.map((entry, index) => ({ ...entry, id: idOf(from + index) })));
      }
      textBytes = entries.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    },
    async search(query, limit) {
      const found = await store.search(query, { maxSearchResults: limit });
      return found.map(({ id }) => placeOf(id as string));
    },
    fileBytesBesideTexts() {
      const database = new DatabaseSync(file);
      // Copies the write-ahead log to the file, as SQLite does from time to time.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
      return statSync(file).size - textBytes;
    },
  };
}
