import { describeSessionStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { InMemorySessionStore } from '../src/index.ts';

describeSessionStore({
  describe,
  it,
  name: 'InMemorySessionStore',
  // A store keeps its sessions in itself, so another store does not see them.
  capabilities: { shared: false },
  harness: () => ({ store: new InMemorySessionStore(), reopen: () => new InMemorySessionStore() }),
});
