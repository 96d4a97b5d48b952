import { Agent, type AgentInputItem, Runner, RunState, tool } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import OpenAI from 'openai';
import { z } from 'zod';
import { OpenAIConversationsSession } from '../src/index.ts';

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: z.object({ order: z.string() }),
  needsApproval: true,
  execute: ({ order }) => `Refunded ${order}.`,
});

/** An agent that refunds after an approval, with scripted answers. */
export function clerk(steps: ConstructorParameters<typeof ScriptedModel>[0]) {
  const model = new ScriptedModel(steps);
  return { model, agent: new Agent({ name: 'Clerk', model, tools: [refund] }) };
}

/** Approves and resumes an interrupted run with a new client, agent and session. Returns its final output. */
export async function resumed(baseURL: string, apiKey: string, conversationId: string, interrupted: string) {
  const client = new OpenAI({ baseURL, apiKey });
  const session = new OpenAIConversationsSession<AgentInputItem>({ client, conversationId });
  const { agent } = clerk([[assistantMessage('Done.')]]);
  const state = await RunState.fromString(agent, interrupted);
  for (const interruption of state.getInterruptions()) state.approve(interruption);
  const { finalOutput } = await new Runner().run(agent, state, { session });
  return finalOutput;
}

/** The items of a session, abbreviated. */
export function outline(items: readonly AgentInputItem[]): string[] {
  return items.map((item) => {
    if (item.type === 'message' || item.type === undefined)
      return `${(item as { role: string }).role}: ${textOf(item)}`;
    return item.type === 'function_call_result' ? `${item.name} gave ${JSON.stringify(item.output)}` : `${item.type}`;
  });
}

function textOf(item: object): string {
  const { content } = item as { content: string | { text?: string }[] };
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}
