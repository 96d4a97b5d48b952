// Runs one turn of an agent in its own process. Takes { url, keyPrefix, sessionId, turn } as its argument.
import { runAgent, type Turn } from '@keepsake/suites/agents/run-agent';
import type { AgentInputItem } from '@openai/agents';
import { Redis } from 'ioredis';
import { RedisSession } from '../../src/index.ts';

export interface Job {
  readonly url: string;
  readonly keyPrefix: string;
  readonly sessionId: string;
  readonly turn: Turn;
}

const { url, keyPrefix, sessionId, turn } = JSON.parse(process.argv[2] ?? '') as Job;
const client = new Redis(url);
await runAgent(new RedisSession<AgentInputItem>({ client, keyPrefix, sessionId }), turn);
client.disconnect();
