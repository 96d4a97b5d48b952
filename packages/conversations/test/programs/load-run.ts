/* Prints a resumable run as JSON and completes it. Arguments: RUN ADDRESS… */
import { ConversationMemory } from '../../src/index.ts';
import { openPlace } from './open-place.ts';

const [runId = '', ...address] = process.argv.slice(2);
const { store, close } = await openPlace(address);
const agent = new ConversationMemory({ store, fullSessionMemory: true }).for('agent', { sessionId: 'elsewhere' });
const run = await agent.loadResumableRun(runId);
console.log(JSON.stringify(run));
if (run !== undefined) {
  await agent.save({ ...run, status: 'completed', items: [...run.items, { role: 'assistant', content: 'Done.' }] });
}
close();
