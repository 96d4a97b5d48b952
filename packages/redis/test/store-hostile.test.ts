import { describeHostileText } from '@keepsake/suites/stores/hostile-text';
import { expect } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { readIndex } from './read-index.ts';

for (const [where, shared] of [
  ['one server', sharedRedis()],
  ['a cluster', sharedCluster()],
] as const) {
  describeHostileText(where, () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    return {
      open: () => new RedisStore({ client, keyPrefix, name: 'memory' }),
      openHybrid: () => new RedisStore({ client, keyPrefix, name: 'memory', embedder: fakeEmbedder }),
      async expectNothing() {
        const left = await readIndex(client, storeKeys(keyPrefix, []));
        expect(left).toEqual({ terms: [], threads: [], speakers: [], vectors: [], flags: [], counted: {} });
      },
    };
  });
}
