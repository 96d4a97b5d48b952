/* Saves COUNT runs of one session in order, with ids that begin with NAME. Arguments: NAME COUNT ADDRESS… */
import { ConversationMemory } from '../../src/index.ts';
import { openPlace } from './open-place.ts';

const [name = '', count = '', ...address] = process.argv.slice(2);
const { store, close } = await openPlace(address);
const agent = new ConversationMemory({ store, fullSessionMemory: true }).for('agent', { sessionId: 'shared' });
for (let n = 0; n < Number(count); n++) {
  await agent.save({ runId: `${name} ${n}`, status: 'completed', items: [{ role: 'user', content: `${name} ${n}` }] });
}
close();
