import { OpenAIConversationsSession } from '@keepsake/openai';
import { Agent, Runner, tool } from '@openai/agents';
import { z } from 'zod';

const search = tool({
  name: 'search_itinerary',
  description: 'Searches the itinerary.',
  parameters: z.object({ query: z.string() }),
  needsApproval: true,
  execute: async ({ query }) => `Nothing about ${query}.`,
});
const agent = new Agent({ name: 'Planner', tools: [search] });
const session = new OpenAIConversationsSession();
const runner = new Runner();

const result = await runner.run(agent, 'Search the itinerary for museums.', { session });
if (result.interruptions.length > 0) {
  for (const interruption of result.interruptions) result.state.approve(interruption);
  const continuation = await runner.run(agent, result.state, { session });
  console.log(continuation.finalOutput);
}
console.log((await session.getItems()).map((item) => item.type).join(', '));
