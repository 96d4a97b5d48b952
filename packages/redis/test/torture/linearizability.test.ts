import { join } from 'node:path';
import { describeLinearizability } from '@keepsake/suites/linearizability/describe-linearizability';
import { RedisStore } from '../../src/index.ts';
import { freshPrefix, sharedRedis } from '../connections.ts';
import type { Use } from '../programs/answer-calls.ts';

const shared = sharedRedis();

describeLinearizability('on Redis', {
  path: join(import.meta.dirname, '../programs/answer-calls.ts'),
  argument: (kind) => JSON.stringify({ kind, url: shared.service.url, keyPrefix: freshPrefix() } satisfies Use),
  capabilities: () => new RedisStore({ client: shared.client, name: 'memory' }).capabilities,
});
