import { Agent, type AgentInputItem, tool } from '@openai/agents';
import { ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';

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
