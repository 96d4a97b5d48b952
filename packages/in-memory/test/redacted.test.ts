import { describeMemoryStore, describeRecordStore, describeSession } from '@keepsake/conformance';
import { redacted } from '@keepsake/core';
import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { sessionConcerns, storeConcerns } from '@keepsake/suites/variants';
import { describe, it } from 'vitest';
import { InMemorySession, InMemorySessionStore, InMemoryStore } from '../src/index.ts';

const { capabilities } = new InMemoryStore({ name: 'memory' });

describeRecordStore({
  describe,
  it,
  name: 'redacted(InMemoryStore)',
  capabilities,
  ...storeConcerns('content'),
  harness() {
    const store = redacted(new InMemoryStore({ name: 'memory' }));
    return { open: ({ namespace = [], ...identity } = {}) => store.within(namespace, identity) };
  },
});

describeMemoryStore({
  describe,
  it,
  name: 'redacted(InMemoryStore)',
  capabilities: { search: capabilities.search, add: true, addMessages: 'verbatim', filter: true },
  harness() {
    const store = redacted(new InMemoryStore({ name: 'memory' }));
    return {
      open: (identity = {}) => store.within([], identity),
      async fill(contents) {
        await store.putMany(contents.map((content) => ({ content })));
      },
    };
  },
});

describeSession({
  describe,
  it,
  name: 'redacted(InMemorySession)',
  capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true },
  ...sessionConcerns('content'),
  harness() {
    const store = new InMemorySessionStore();
    return { open: (sessionId) => redacted(store.open(sessionId)) };
  },
});

describeRedaction('in-memory backends', () => ({
  openStore: (embedder) => new InMemoryStore({ name: 'memory', embedder }),
  openSession: () => new InMemorySession(),
}));
