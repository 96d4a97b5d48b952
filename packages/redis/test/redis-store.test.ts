import { randomUUID } from 'node:crypto';
import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import { Redis } from 'ioredis';
import { afterAll, describe, it } from 'vitest';
import { RedisStore } from '../src/index.ts';

const client = new Redis(7900);
afterAll(() => client.disconnect());
const { capabilities } = new RedisStore({ client, name: 'memory' });

describeRecordStore({
  describe,
  it,
  name: 'RedisStore',
  capabilities,
  harness() {
    const keyPrefix = `${randomUUID()}:`;
    return { open: (options = {}) => new RedisStore({ client, keyPrefix, name: 'memory', ...options }) };
  },
});

describeMemoryStore({
  describe,
  it,
  name: 'RedisStore',
  capabilities: { search: 'lexical', add: true, addMessages: 'verbatim', filter: true },
  harness() {
    const keyPrefix = `${randomUUID()}:`;
    const open = (options = {}) => new RedisStore({ client, keyPrefix, name: 'memory', ...options });
    return {
      open,
      async fill(contents) {
        await open().putMany(contents.map((content) => ({ content })));
      },
    };
  },
});
