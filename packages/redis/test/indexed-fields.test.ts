import { describeIndexedFields } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

describeIndexedFields({
  describe,
  it,
  name: 'RedisStore',
  capabilities: new RedisStore({ client: { call: async () => {}, callBuffer: async () => {} }, name: 'memory' })
    .capabilities,
  harness() {
    const keyPrefix = freshPrefix();
    return {
      open: (options = {}) => new RedisStore({ client: shared.client, keyPrefix, name: 'memory', ...options }),
    };
  },
});
