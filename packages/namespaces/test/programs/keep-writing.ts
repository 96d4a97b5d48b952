// Writes for a user in a separate process until it is killed. Arguments: backend, address of the place, user, and a word that every write contains. Prints a line once it has started.
import { MemorySpace } from '../../src/index.ts';
import { openPlace } from './open-place.ts';

const [backend = '', address = '', id = '', word = ''] = process.argv.slice(2);
const { store, sessions } = openPlace(backend, address);
const space = new MemorySpace({
  store,
  sessions,
  agents: { bot: { sharedNamespaces: ['docs'] } },
  pools: { docs: { readers: ['*'], writers: ['*'] } },
});
const scope = space.as({ principal: { id }, agent: 'bot' });
for (let n = 0; ; n++) {
  await scope.memory.put({ content: `${word} late ${n}` });
  await scope.memory.within([`late ${n % 3}`]).put({ content: `${word} late ${n}` });
  await scope.pool('docs').put({ id: `${id} ${n % 7}`, content: `${word} late ${n}` });
  await scope.session(`late ${n % 3}`).addItems([{ content: `${word} late ${n}` }]);
  if (n === 0) process.stdout.write('writing\n');
}
