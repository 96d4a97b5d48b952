import { InMemoryStore } from '@keepsake/in-memory';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { describeSameRanking } from '@keepsake/suites/stores/same-ranking';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

function open(options: object = {}): RedisStore {
  return new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory', ...options });
}

describeSameRanking('RedisStore', {
  open,
  memory: (options) => new InMemoryStore({ name: 'memory', ...options }),
  embedder: fakeEmbedder,
});
