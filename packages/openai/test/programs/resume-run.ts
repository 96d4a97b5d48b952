import { type AgentInputItem, Runner, RunState, setTracingDisabled } from '@openai/agents';
import { assistantMessage } from '@openai/agents/testing';
import OpenAI from 'openai';
import { OpenAIConversationsSession } from '../../src/index.ts';
import { clerk } from '../clerk.ts';

/* Approves and resumes an interrupted run of another process, and prints its final output. */

const [baseURL, apiKey, conversationId = '', interrupted = ''] = process.argv.slice(2);
setTracingDisabled(true);
const session = new OpenAIConversationsSession<AgentInputItem>({
  client: new OpenAI({ baseURL, apiKey }),
  conversationId,
});
const { agent } = clerk([[assistantMessage('Done.')]]);
const state = await RunState.fromString(agent, interrupted);
for (const interruption of state.getInterruptions()) state.approve(interruption);
const { finalOutput } = await new Runner().run(agent, state, { session });
console.log(finalOutput);
