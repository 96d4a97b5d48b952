import { Agent, type Model, tool } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';

/** Sends money, which the agent must not do without the approval of a person. */
const refund = tool({
  name: 'refund',
  description: 'Sends the price of an order back to the customer.',
  parameters: z.object({ order: z.string(), amount: z.number() }),
  needsApproval: true,
  execute: async ({ amount, order }) => `${amount} EUR sent for order ${order}`,
});

/** An agent for complaints. Its model follows a script, so that no API key is needed. */
export function complaints(): Agent {
  return new Agent({ name: 'Complaints', tools: [refund], model: scriptedModel() });
}

/** Refunds what the customer complains about, and answers when the money is sent. */
function scriptedModel(): Model {
  return new ScriptedModel([
    modelResponder(({ request }) => {
      const input = JSON.stringify(request.input);
      const sent = /(\d+) EUR sent for order ([\w-]+)/.exec(input);
      if (sent !== null) return [assistantMessage(`The ${sent[1]} EUR for order ${sent[2]} are on their way.`)];
      const order = /Order ([\w-]+)/.exec(input)?.[1] ?? 'unknown';
      return [functionCall('refund', { order, amount: 80 }, { callId: 'call-1' })];
    }),
  ]);
}
