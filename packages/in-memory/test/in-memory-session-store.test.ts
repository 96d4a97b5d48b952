import { describeSessionStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { InMemorySessionStore } from '../src/index.ts';

describeSessionStore({
  describe,
  it,
  name: 'InMemorySessionStore',
  // Sessions live and die with the store.
  capabilities: { shared: false },
  harness: () => ({ store: new InMemorySessionStore(), reopen: () => new InMemorySessionStore() }),
});
