import { describeSession } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { InMemorySessionStore } from '../src/index.ts';

describeSession({
  describe,
  it,
  name: 'InMemorySession',
  capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true },
  harness() {
    const store = new InMemorySessionStore();
    return { open: (sessionId) => store.open(sessionId) };
  },
});
