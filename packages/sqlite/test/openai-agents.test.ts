import { join } from 'node:path';
import { describeAgentsInProcesses } from '@keepsake/suites/agents/processes';
import { describeAgentsRunner } from '@keepsake/suites/agents/runner';
import type { AgentInputItem } from '@openai/agents';
import { beforeEach } from 'vitest';
import { SqliteSession } from '../src/index.ts';
import type { Job } from './programs/run-agent.ts';
import { newFile } from './temporary-file.ts';

const sessionId = 'chat';
let file: string;
beforeEach(() => {
  file = newFile();
});

const open = () => new SqliteSession<AgentInputItem>({ file, sessionId });

describeAgentsRunner('SqliteSession', open);
describeAgentsInProcesses(
  'SqliteSession',
  open,
  join(import.meta.dirname, 'programs/run-agent.ts'),
  (turn): Job => ({
    file,
    sessionId,
    turn,
  }),
);
