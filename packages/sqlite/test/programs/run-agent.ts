// One turn of an agent in its own process. The argument is { file, sessionId, turn }.
import { runAgent, type Turn } from '@keepsake/suites/agents/run-agent';
import type { AgentInputItem } from '@openai/agents';
import { SqliteSession } from '../../src/index.ts';

export interface Job {
  readonly file: string;
  readonly sessionId: string;
  readonly turn: Turn;
}

const { file, sessionId, turn } = JSON.parse(process.argv[2] ?? '') as Job;
await runAgent(new SqliteSession<AgentInputItem>({ file, sessionId }), turn);
