import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

const personal = new FileStore({
  directory: '.keepsake',
  namespace: ['u', 'abc'],
  name: 'personal',
  extraction: true,
});
const memory = new MemoryManager({ stores: [personal], outbox: personal });

console.log('finished what another process left:', await memory.recover());
for (const { content } of await memory.search('seat')) console.log('known:', content);

if (process.argv.includes('--crash')) {
  const chat = memory.conversation({ id: 'thread-42' });
  chat.observe({ role: 'user', content: 'I want an aisle seat.' });
  await chat.endTurn(); // it is on disk now, though no trigger has fired
  process.kill(process.pid, 'SIGKILL');
}
await memory.flush();
await personal.close();
