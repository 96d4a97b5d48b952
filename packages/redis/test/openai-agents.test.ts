import { join } from 'node:path';
import { describeAgentsInProcesses } from '@keepsake/suites/agents/processes';
import { describeAgentsRunner } from '@keepsake/suites/agents/runner';
import type { AgentInputItem } from '@openai/agents';
import { beforeEach, describe } from 'vitest';
import { RedisSession } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import type { Job } from './programs/run-agent.ts';

const shared = sharedRedis();
const sessionId = 'chat';
let keyPrefix: string;
beforeEach(() => {
  keyPrefix = freshPrefix();
});

const open = () => new RedisSession<AgentInputItem>({ client: shared.client, keyPrefix, sessionId });

describeAgentsRunner('RedisSession', open);
// Each process loads the SDK. By day, the runner is tested with files in two processes.
describe('between processes', { tags: ['nightly'] }, () =>
  describeAgentsInProcesses(
    'RedisSession',
    open,
    join(import.meta.dirname, 'programs/run-agent.ts'),
    (turn): Job => ({ url: shared.service.url, keyPrefix, sessionId, turn }),
  ),
);
