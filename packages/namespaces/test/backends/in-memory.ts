import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { allItems } from '@keepsake/internal';
import type { Backend } from './backend.ts';

export const inMemory: Backend = {
  name: 'in-memory',
  start: async () => ({
    place() {
      const store = new InMemoryStore({ name: 'memory' });
      const sessions = new InMemorySessionStore();
      return {
        store,
        sessions,
        address: undefined,
        // Nothing is stored beyond what the stores return.
        async raw() {
          const lines: string[] = [];
          for await (const { namespace } of allItems((page) => store.namespaces(page))) {
            for await (const record of allItems((page) => store.within(namespace).list({ ...page, history: true }))) {
              lines.push(JSON.stringify([namespace, record]));
            }
          }
          for await (const { sessionId } of allItems((page) => sessions.list(page))) {
            lines.push(JSON.stringify([sessionId, await sessions.open(sessionId).getItems()]));
          }
          return lines.join('\n');
        },
      };
    },
    stop: async () => {},
  }),
};
