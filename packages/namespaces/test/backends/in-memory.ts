import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { allOf } from '../../src/space/pages.ts';
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
        // There is nothing but what the stores tell.
        async raw() {
          const lines: string[] = [];
          for await (const { namespace } of allOf((page) => store.namespaces(page))) {
            for await (const record of allOf((page) => store.within(namespace).list(page))) {
              lines.push(JSON.stringify([namespace, record]));
            }
          }
          for await (const { sessionId } of allOf((page) => sessions.list(page))) {
            lines.push(JSON.stringify([sessionId, await sessions.open(sessionId).getItems()]));
          }
          return lines.join('\n');
        },
      };
    },
    stop: async () => {},
  }),
};
