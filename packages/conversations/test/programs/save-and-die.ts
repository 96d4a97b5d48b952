/*
 * Saves a run, and kills itself: in the middle of its summary, or before one of the writes of the save, by its number from 1
 * on. RUN DEATH ADDRESS…, where DEATH is `summary` or a number. Ends by itself where the save has not so many writes.
 */
import { setTimeout } from 'node:timers/promises';
import { ConversationMemory } from '../../src/index.ts';
import { joined } from '../support/joining-summariser.ts';
import { newTraffic, watchedStore } from '../support/watched-store.ts';
import { openPlace } from './open-place.ts';

const [runId = '', death = '', ...address] = process.argv.slice(2);
const { store, close } = openPlace(address);
const traffic = newTraffic();
let writes = 0;
traffic.before = (method) => {
  if (method === 'put' && ++writes === Number(death)) process.kill(process.pid, 'SIGKILL');
};
const agent = new ConversationMemory({
  store: watchedStore(store, traffic),
  fullSessionMemory: true,
  summaryMemory: true,
  summariser: {
    async summarise(input) {
      if (death !== 'summary') return joined(input);
      process.kill(process.pid, 'SIGKILL');
      return setTimeout(60_000, '');
    },
  },
}).for('agent', { sessionId: 'killed', userId: 'alice' });
await agent.save({ runId, status: 'completed', items: [{ role: 'user', content: runId }] });
console.log('saved');
close();
