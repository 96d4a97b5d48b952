import { InMemoryStore } from '@keepsake/in-memory';
import type { Backend } from './backend.ts';

export const inMemory: Backend = {
  name: 'in-memory',
  start: async () => ({
    place() {
      const store = new InMemoryStore({ name: 'memory' });
      return { open: () => store.within([]), address: undefined };
    },
    stop: async () => {},
  }),
};
