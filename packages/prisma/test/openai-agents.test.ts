import { join } from 'node:path';
import { uuidv7 } from '@keepsake/core/adapter';
import { describeAgentsInProcesses } from '@keepsake/suites/agents/processes';
import { describeAgentsRunner } from '@keepsake/suites/agents/runner';
import type { AgentInputItem } from '@openai/agents';
import { beforeEach, describe } from 'vitest';
import { PrismaSession } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import type { Job } from './programs/run-agent.ts';

const shared = sharedDatabase('PostgreSQL');
let sessionId: string;
beforeEach(() => {
  sessionId = uuidv7();
});

const open = () => new PrismaSession<AgentInputItem>({ prisma: shared.database.prisma, sessionId });

// By day, the runs of two processes go through the runner, and the kit proves what the runner needs of a session.
describe('PrismaSession', { tags: ['nightly'] }, () => describeAgentsRunner('PrismaSession', open));
describeAgentsInProcesses(
  'PrismaSession',
  open,
  join(import.meta.dirname, 'programs/run-agent.ts'),
  (turn): Job => ({ url: shared.database.url, sessionId, turn }),
);
