import { join } from 'node:path';
import { describeHistoryProcesses } from '@keepsake/suites/stores/history-processes';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import type { Use } from './programs/use-history.ts';

const shared = sharedRedis();

describeHistoryProcesses('in Redis', join(import.meta.dirname, 'programs/use-history.ts'), () => {
  const keyPrefix = freshPrefix();
  const { client, service } = shared;
  return {
    open: () => new RedisStore({ client, keyPrefix, name: 'memory' }),
    jobOf: (job) => JSON.stringify({ url: service.url, keyPrefix, job } satisfies Use),
  };
});
