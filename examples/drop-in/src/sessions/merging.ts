import { OpenAIConversationsSession } from '@keepsake/openai';
import { Agent, type AgentInputItem, run } from '@openai/agents';

const agent = new Agent({ name: 'Planner', instructions: 'Keep track of what is left to do.' });
const session = new OpenAIConversationsSession();
for (let turn = 1; turn <= 6; turn++) await run(agent, `Add task ${turn}.`, { session });

const update: AgentInputItem[] = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add booking a hotel, too.' }] },
];
const { finalOutput } = await run(agent, update, {
  session,
  // Returns the input of the model: here the last eight items, and the new ones.
  sessionInputCallback: (history, newItems) => [...history.slice(-8), ...newItems],
});
console.log(finalOutput);
