import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import type { Backend } from '../../src/cases.ts';

/** A function, because a Worker may not make the random numbers of ids at the top of a module. */
export function inMemory(): Backend {
  return {
    name: 'in-memory',
    capabilities: new InMemoryStore({ name: 'memory' }).capabilities,
    place() {
      const store = new InMemoryStore({ name: 'memory' });
      const sessions = new InMemorySessionStore();
      return {
        store: ({ namespace = [], ...identity }: { namespace?: string[] } = {}) => store.within(namespace, identity),
        session: (sessionId) => sessions.open(sessionId),
        sessions: () => sessions,
      };
    },
  };
}
