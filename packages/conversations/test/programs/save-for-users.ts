/* Saves COUNT runs at once in each of two sessions of two users, with summaries and profiles. Arguments: NAME COUNT ADDRESS… */
import { ConversationMemory } from '../../src/index.ts';
import { joining } from '../support/joining-summariser.ts';
import { openPlace } from './open-place.ts';

const [name = '', count = '', ...address] = process.argv.slice(2);
const { store, close } = await openPlace(address);
const { summariser, profiler } = joining();
const memory = new ConversationMemory({
  store,
  summaryMemory: { summariser },
  userAnalysisMemory: { profiler },
});
const saves = ['alice', 'bob'].flatMap((userId) =>
  ['1', '2'].flatMap((sessionId) =>
    Array.from({ length: Number(count) }, (_, n) =>
      memory.for('agent', { userId, sessionId: `${userId} ${sessionId}` }).save({
        status: 'completed',
        items: [{ role: 'user', content: `${name} ${userId} ${sessionId} ${n}` }],
      }),
    ),
  ),
);
const errors = (await Promise.all(saves)).flatMap((saved) => saved.errors);
if (errors.length > 0) throw errors[0]?.error;
close();
