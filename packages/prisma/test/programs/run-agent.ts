// One turn of an agent in its own process. The argument is { url, sessionId, turn }.
import { runAgent, type Turn } from '@keepsake/suites/agents/run-agent';
import type { AgentInputItem } from '@openai/agents';
import { PrismaSession } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

export interface Job {
  readonly url: string;
  readonly sessionId: string;
  readonly turn: Turn;
}

const { url, sessionId, turn } = JSON.parse(process.argv[2] ?? '') as Job;
const prisma = connectTo(url);
await runAgent(new PrismaSession<AgentInputItem>({ prisma, sessionId }), turn);
await prisma.$disconnect();
