/* Begins a run, saves a checkpoint and kills itself. Arguments: RUN ADDRESS… */
import { ConversationMemory } from '../../src/index.ts';
import { openPlace } from './open-place.ts';

const [runId = '', ...address] = process.argv.slice(2);
const { store } = await openPlace(address);
const agent = new ConversationMemory({ store }).for('agent', { sessionId: 'killed', userId: 'alice' });
const asked = { role: 'user', content: runId };
const open = await agent.begin({ runId, items: [asked] });
await open.save({ status: 'running', items: [asked, { role: 'assistant', content: 'so far' }] });
process.kill(process.pid, 'SIGKILL');
