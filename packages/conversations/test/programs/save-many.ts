/* Saves so many runs of a session under its own name, one after the other: NAME COUNT ADDRESS… */
import { ConversationMemory } from '../../src/index.ts';
import { openPlace } from './open-place.ts';

const [name = '', count = '', ...address] = process.argv.slice(2);
const { store, close } = openPlace(address);
const agent = new ConversationMemory({ store, fullSessionMemory: true }).for('agent', { sessionId: 'shared' });
for (let n = 0; n < Number(count); n++) {
  await agent.save({ runId: `${name} ${n}`, status: 'completed', items: [{ role: 'user', content: `${name} ${n}` }] });
}
close();
