import { join } from 'node:path';
import { SqliteStore } from '@keepsake/sqlite';
import type { OpenBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

export async function open(directory: string): Promise<OpenBackend> {
  const store = new SqliteStore({ file: join(directory, 'bench.db'), name: 'bench', durability: 'os', indexed });
  return { store, close: () => store.close() };
}
