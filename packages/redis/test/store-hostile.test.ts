import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { describeHostileText } from '@keepsake/suites/stores/hostile-text';
import { describe, expect } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';

// What a script does with text is the same on a cluster.
for (const [where, share, tags] of [
  ['one server', sharedRedis, []],
  ['a cluster', sharedCluster, ['nightly']],
] as const) {
  describe('RedisStore', { tags: [...tags] }, () => {
    const shared = share();
    describeHostileText(where, () => {
      const { client } = shared;
      const keyPrefix = freshPrefix();
      return {
        open: () => new RedisStore({ client, keyPrefix, name: 'memory' }),
        openHybrid: () => new RedisStore({ client, keyPrefix, name: 'memory', embedder: fakeEmbedder }),
        async expectNothing() {
          const { state, gate, ...keys } = storeKeys(keyPrefix, []);
          // The gate is there for a minute after clear().
          expect(await client.exists(...Object.values(keys))).toBe(0);
          expect(Object.keys(await client.hgetall(state))).toEqual((await client.exists(gate)) === 1 ? [] : ['r']);
        },
      };
    });
  });
}
