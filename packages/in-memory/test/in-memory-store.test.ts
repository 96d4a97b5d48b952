import { describeRecordStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

const root = new InMemoryStore({ name: 'root' });

describeRecordStore({
  describe,
  it,
  name: 'InMemoryStore',
  capabilities: root.capabilities,
  harness() {
    const store = new InMemoryStore({ name: 'memory' });
    return { open: ({ namespace = [], ...identity } = {}) => store.within(namespace, identity) };
  },
});
