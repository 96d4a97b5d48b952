import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import type { Embedder } from '@keepsake/core';
import { byDay } from '@keepsake/testing/share';
import { describe, it } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

/** Counts letters by their codes, so the same text has the same vector. */
const embedder: Embedder = {
  id: 'fake-16',
  dimensions: 16,
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(16);
      for (const letter of text.toLowerCase()) {
        const place = (letter.codePointAt(0) ?? 0) % 16;
        vector[place] = (vector[place] ?? 0) + 1;
      }
      return vector;
    });
  },
};

/** By day, what vectors can change here. A file store with an embedder, on the same code, passes more. */
const ofEmbedder = byDay({
  concerns: [
    'Capabilities',
    'Superseding',
    'Replacing',
    'Batches',
    'Searching',
    'Filters',
    'Time to live',
    'Descendants',
  ],
});

for (const { name, options, concerns } of [
  { name: 'InMemoryStore', options: {}, concerns: {} },
  { name: 'InMemoryStore with an embedder', options: { embedder }, concerns: ofEmbedder },
]) {
  const { capabilities } = new InMemoryStore({ name, ...options });

  describeRecordStore({
    describe,
    it,
    name,
    capabilities,
    ...concerns,
    harness() {
      const store = new InMemoryStore({ name: 'memory', ...options });
      return { open: ({ namespace = [], ...identity } = {}) => store.within(namespace, identity) };
    },
  });

  describeMemoryStore({
    describe,
    it,
    name,
    capabilities: { search: capabilities.search, add: true, addMessages: 'verbatim', filter: true },
    harness() {
      const store = new InMemoryStore({ name: 'memory', ...options });
      return {
        open: (identity = {}) => store.within([], identity),
        async fill(contents) {
          await store.putMany(contents.map((content) => ({ content })));
        },
      };
    },
  });
}
