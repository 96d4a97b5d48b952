import { InMemoryStore } from '@keepsake/in-memory';
import type { Engine } from './engine.ts';
import { openStore } from './keepsake.ts';
import { useLite } from './use-lite.ts';

/** Hybrid search: by words and by meaning. */
export const keepsakeHybrid: Engine = {
  name: 'InMemoryStore, hybrid',
  open: async () => openStore(new InMemoryStore({ name: 'bench', embedder: useLite })),
};
