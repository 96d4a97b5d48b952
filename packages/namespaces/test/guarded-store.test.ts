import { describeRecordStore } from '@keepsake/conformance';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { describe, it } from 'vitest';
import { MemorySpace } from '../src/index.ts';

/* A store from a scope passes the whole conformance kit. */

const store = new InMemoryStore({ name: 'memory' });

describeRecordStore({
  describe,
  it,
  name: 'the private memory of a scope',
  capabilities: store.capabilities,
  harness() {
    const space = new MemorySpace({
      store: store.within([crypto.randomUUID()]),
      sessions: new InMemorySessionStore(),
      agents: { bot: {} },
    });
    const scope = () => space.as({ principal: { id: 'alice' }, agent: 'bot' });
    return { open: ({ namespace = [], ...identity } = {}) => scope().memory.within(namespace, identity) };
  },
});
