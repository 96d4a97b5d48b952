import { describeRecordLogs } from '@keepsake/suites/stores/record-logs';
import { RedisLogs } from '../src/stores/redis-logs.ts';
import { Registry } from '../src/stores/registry.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

describeRecordLogs('Redis', () => {
  const { client } = shared;
  const prefix = freshPrefix();
  return {
    open: (embedder) => new RedisLogs({ client, prefix, registry: new Registry(client, prefix), embedder }),
    async endLeases() {
      for (const key of await client.keys('*')) {
        if (!key.startsWith(prefix) || !key.endsWith(':index')) continue;
        for (const [field, value] of Object.entries(await client.hgetall(key))) {
          if (field.startsWith('!')) await client.hset(key, field, `${value.split(' ')[0]} 0`);
        }
      }
    },
  };
});
