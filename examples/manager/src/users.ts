import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

const store = new FileStore({ directory: '.keepsake', name: 'users', extraction: true });
const memory = new MemoryManager({ stores: [store] });

for (const [user, content] of [
  ['alice', 'I always take the aisle seat.'],
  ['bob', 'I always take the window seat.'],
] as const) {
  await memory.for({ user }).turn({
    thread: 'monday',
    messages: [{ role: 'user', content }],
    answer: () => 'Noted.',
  });
}
await memory.flush(); // of all users

for (const user of ['alice', 'bob', 'carol']) {
  const found = await memory.for({ user }).search('Which seat?');
  console.log(`${user}:`, found[0]?.content);
}
await store.close();
