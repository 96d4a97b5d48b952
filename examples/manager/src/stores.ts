import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

// One connection. Each store sees only its own namespace.
const files = new FileStore({ directory: '.keepsake', name: 'files' });
const personal = files.within(['u', 'abc'], {
  name: 'personal',
  description: 'What this user likes, plans and has decided.',
});
const team = files.within(['team', 'xyz'], {
  name: 'team',
  description: 'What the whole team has agreed on.',
  maxSearchResults: 2,
  writable: false,
});

const memory = new MemoryManager({ stores: [personal, team] });
await memory.add('Flies from Bergen.'); // to all writable stores
await files.within(['team', 'xyz']).add('Whoever flies books two weeks ahead.');

for (const { storeName, content } of await memory.search('Who flies when?')) console.log(`${storeName}: ${content}`);
await files.close();
