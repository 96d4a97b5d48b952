import { FileStore } from '@keepsake/file';
import type { OpenBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

export async function open(directory: string): Promise<OpenBackend> {
  const store = new FileStore({ directory, name: 'bench', durability: 'os', indexed });
  return { store, close: () => store.close() };
}
