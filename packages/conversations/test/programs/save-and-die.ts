/*
 * Saves a run and kills itself meanwhile. Arguments: RUN DEATH ADDRESS…, where DEATH is `summary`, or the number of the
 * write (from 1) before which it dies. Ends normally if the save has fewer writes.
 */
import { setTimeout } from 'node:timers/promises';
import { ConversationMemory } from '../../src/index.ts';
import { joined } from '../support/joining-summariser.ts';
import { newTraffic, watchedStore } from '../support/watched-store.ts';
import { openPlace } from './open-place.ts';

const [runId = '', death = '', ...address] = process.argv.slice(2);
const { store, close } = await openPlace(address);
const traffic = newTraffic();
let writes = 0;
traffic.before = (method) => {
  if (method === 'put' && ++writes === Number(death)) process.kill(process.pid, 'SIGKILL');
};
const agent = new ConversationMemory({
  store: watchedStore(store, traffic),
  fullSessionMemory: true,
  summaryMemory: {
    summariser: {
      async summarise(input) {
        if (death !== 'summary') return joined(input);
        process.kill(process.pid, 'SIGKILL');
        return setTimeout(60_000, '');
      },
    },
  },
}).for('agent', { sessionId: 'killed', userId: 'alice' });
await agent.save({ runId, status: 'completed', items: [{ role: 'user', content: runId }] });
console.log('saved');
close();
