import { OpenAIConversationsSession } from '@keepsake/openai';
import { Agent, type AgentInputItem, run } from '@openai/agents';

const earlier = new OpenAIConversationsSession();
await run(new Agent({ name: 'TourGuide' }), 'Which city has the Golden Gate Bridge?', { session: earlier });

const session = new OpenAIConversationsSession({
  conversationId: await earlier.getSessionId(), // continues an existing conversation
});
const history = await session.getItems();
console.log(`There are ${history.length} items.`);

const followUp: AgentInputItem[] = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'That is all for today.' }] },
];
await session.addItems(followUp);

const undone = await session.popItem();
if (undone?.type === 'message') console.log(undone.role);

await session.clearSession();
console.log((await session.getItems()).length);
