import { Agent, type Model, tool } from '@openai/agents';
import { z } from 'zod';

/** An agent with a tool that needs human approval. `onRefund` is called for each executed call. */
export function refundAgent(model: Model, onRefund: (order: string) => void = () => {}): Agent {
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order.',
    parameters: z.object({ order: z.string() }),
    needsApproval: true,
    execute({ order }) {
      onRefund(order);
      return `Refunded ${order}.`;
    },
  });
  return new Agent({ name: 'Shop', model, tools: [refund] });
}
