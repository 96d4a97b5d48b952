import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { RedisSession, RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

describeRedaction('Redis', () => {
  const { client } = shared;
  const keyPrefix = freshPrefix();
  return {
    openStore: (embedder) => new RedisStore({ name: 'memory', client, keyPrefix, embedder }),
    openSession: () => new RedisSession({ client, keyPrefix }),
  };
});
