/* Saves a run as running and kills itself. Arguments: RUN ADDRESS… */
import { ConversationMemory } from '../../src/index.ts';
import { openPlace } from './open-place.ts';

const [runId = '', ...address] = process.argv.slice(2);
const { store } = openPlace(address);
const agent = new ConversationMemory({ store }).for('agent', { sessionId: 'killed', userId: 'alice' });
await agent.save({ runId, status: 'running', items: [{ role: 'user', content: runId }] });
process.kill(process.pid, 'SIGKILL');
