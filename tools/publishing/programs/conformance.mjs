// The kit, by the test runner of Node, on a backend that passes. A case that fails makes this process end with code 1.
import assert from 'node:assert/strict';
import { describe, it as test } from 'node:test';
import { describeRecordStore, describeSession } from '@keepsake/conformance';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';

let passed = 0;
const it = Object.assign(
  /** @type {(title: string, body: () => Promise<void>) => unknown} */
  (title, body) => test(title, () => body().then(() => void passed++)),
  { skip: test.skip },
);

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

describeRecordStore({
  describe,
  it,
  name: 'InMemoryStore',
  capabilities: new InMemoryStore({ name: 'any' }).capabilities,
  harness() {
    const root = new InMemoryStore({ name: 'memory' });
    return { open: ({ namespace = [], ...identity } = {}) => root.within(namespace, identity) };
  },
});

process.on('exit', () => assert.ok(passed > 100, `only ${passed} cases passed`));
