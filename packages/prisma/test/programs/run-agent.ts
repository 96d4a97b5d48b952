// One turn of an agent in a process of its own: takes { url, sessionId, input, answer } as its argument, and
// prints what the model was given.
import { once } from 'node:events';
import { Agent, type AgentInputItem, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { PrismaSession } from '../../src/index.ts';
import { connectTo } from '../connect-to.ts';

setTracingDisabled(true);
const { url, sessionId, input, answer } = JSON.parse(process.argv[2] ?? '') as Record<string, string>;
const prisma = connectTo(url as string);
const model = new ScriptedModel([[assistantMessage(answer as string)]]);
const session = new PrismaSession<AgentInputItem>({ prisma, sessionId: sessionId as string });
console.log('ready');
await once(process.stdin, 'data');
await run(new Agent({ name: 'Shop', model }), input as string, { session });
console.log(JSON.stringify(model.lastCall?.request.input));
await prisma.$disconnect();
process.stdin.destroy();
