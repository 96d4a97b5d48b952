import { InMemoryStore } from '@keepsake/in-memory';
import type { Backend } from './backend.ts';

export function inMemory(): Backend {
  return {
    name: 'InMemoryStore',
    shared: false,
    partByDay: true,
    makePlace() {
      const store = new InMemoryStore({ name: 'conversations' });
      return { address: undefined, open: () => store.within([]) };
    },
  };
}
