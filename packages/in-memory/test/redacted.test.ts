import { describeMemoryStore, describeRecordStore, describeSession } from '@keepsake/conformance';
import { redacted } from '@keepsake/privacy';
import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { byDay } from '@keepsake/testing/share';
import { describe, it } from 'vitest';
import { InMemorySession, InMemorySessionStore, InMemoryStore } from '../src/index.ts';

const { capabilities } = new InMemoryStore({ name: 'memory' });

/** By day, what has to do with the texts that are written. */
const ofRecords = byDay({
  concerns: [
    ...['Putting', 'Provenance', 'Superseding', 'Replacing', 'Batches', 'Adding', 'Messages', 'Searching', 'Content'],
    ...['Metadata', 'Nothing is shared with the caller', 'Hostile values'],
  ],
});
const ofItems = byDay({
  concerns: [
    ...['reading', 'appending', 'JSON values', 'invalid items', 'hostile values', 'transactions', 'operation ids'],
    ...['mutations', 'compaction'],
  ],
});

describeRecordStore({
  describe,
  it,
  name: 'redacted(InMemoryStore)',
  capabilities,
  ...ofRecords,
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
  ...ofItems,
  harness() {
    const store = new InMemorySessionStore();
    return { open: (sessionId) => redacted(store.open(sessionId)) };
  },
});

describeRedaction('in-memory backends', () => ({
  openStore: (embedder) => new InMemoryStore({ name: 'memory', embedder }),
  openSession: () => new InMemorySession(),
}));
