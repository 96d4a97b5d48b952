import { randomUUID } from 'node:crypto';
import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import type { Embedder } from '@keepsake/core';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { RedisStore } from '../src/index.ts';

const client = new Redis(7900);
afterAll(() => client.disconnect());
/** Counts the letters of a text by their codes: the same text has the same vector. */
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

for (const { name, own } of [
  { name: 'RedisStore', own: {} },
  { name: 'RedisStore with an embedder', own: { embedder } },
]) {
  const { capabilities } = new RedisStore({ client, name: 'memory', ...own });

  describeRecordStore({
    describe,
    it,
    name,
    capabilities,
    harness() {
      const keyPrefix = `${randomUUID()}:`;
      return { open: (options = {}) => new RedisStore({ client, keyPrefix, name: 'memory', ...own, ...options }) };
    },
  });

  describeMemoryStore({
    describe,
    it,
    name,
    capabilities: { search: capabilities.search, add: true, addMessages: 'verbatim', filter: true },
    harness() {
      const keyPrefix = `${randomUUID()}:`;
      const open = (options = {}) => new RedisStore({ client, keyPrefix, name: 'memory', ...own, ...options });
      return {
        open,
        async fill(contents) {
          await open().putMany(contents.map((content) => ({ content })));
        },
      };
    },
  });
}
