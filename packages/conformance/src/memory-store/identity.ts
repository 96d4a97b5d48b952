import assert from 'node:assert/strict';
import { throwsAtOnce } from '../record-store/helpers.ts';
import type { MemoryStoreCases } from './harness.ts';

export const identity: MemoryStoreCases = {
  concern: 'Identity',
  cases: [
    {
      title: 'a store has a name and a writable flag',
      async run(harness) {
        const { name, writable } = harness.open();
        assert.equal(typeof name === 'string' && name.trim() !== '', true);
        assert.equal(typeof writable, 'boolean');
      },
    },
    {
      title: 'a store has the identity it was opened with',
      async run(harness) {
        const options = { name: 'birds', description: 'What we know of birds', maxSearchResults: 3, writable: false };
        const { name, description, maxSearchResults, writable } = harness.open(options);
        assert.deepEqual({ name, description, maxSearchResults, writable }, options);
      },
    },
    {
      title: 'an invalid identity is refused at once',
      async run(harness) {
        for (const bad of [{ name: '' }, { name: ' ' }, { maxSearchResults: 0 }, { maxSearchResults: 1.5 }]) {
          throwsAtOnce('INVALID_ARGUMENT', () => harness.open(bad));
        }
      },
    },
    {
      title: 'initialize, if present, can be called twice and concurrently, and loses nothing',
      async run(harness) {
        await harness.fill(['The heron waits']);
        const store = harness.open();
        await Promise.all([store.initialize?.(), store.initialize?.()]);
        await store.initialize?.();
        assert.equal((await store.search('heron')).length, 1);
      },
    },
    {
      title: 'tools, if any, have unique names, descriptions and object schemas',
      async run(harness) {
        const tools = harness.open().tools?.() ?? [];
        assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
        for (const { name, description, inputSchema, execute } of tools) {
          assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
          assert.notEqual(description.trim(), '');
          assert.equal(inputSchema.type, 'object');
          assert.equal(typeof execute, 'function');
        }
      },
    },
  ],
};
