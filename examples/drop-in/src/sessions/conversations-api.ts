import { OpenAIConversationsSession } from '@keepsake/openai';
import { Agent, run } from '@openai/agents';

const agent = new Agent({ name: 'TourGuide', instructions: 'Answer in a few words, about travel.' });

// Any other session works the same way.
const session = new OpenAIConversationsSession();

const firstTurn = await run(agent, 'Which city has the Golden Gate Bridge?', { session });
console.log(firstTurn.finalOutput);

const secondTurn = await run(agent, 'In which state is it?', { session });
console.log(secondTurn.finalOutput);
