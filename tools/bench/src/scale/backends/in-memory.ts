import { InMemoryStore } from '@keepsake/in-memory';
import type { OpenBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

export async function open(): Promise<OpenBackend> {
  const store = new InMemoryStore({ name: 'bench', indexed });
  return { store, close: () => store.close() };
}
