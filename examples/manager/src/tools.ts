import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

const preferences = new InMemoryStore({ name: 'preferences', description: 'What the user likes and dislikes.' });
await preferences.put({ id: 'm1', content: 'The user prefers aisle seats.' });
const memory = new MemoryManager({
  stores: [preferences],
  searchToolConfig: { name: 'recall', description: 'Looks up what you remember about the user.' },
  addToolConfig: { name: 'remember', waitForWrites: false }, // answers immediately, and writes in the background
});

for (const { name, description } of memory.tools()) console.log(`${name}: ${description}\n`);

// As a model calls them. One of the stores does not exist.
const [recall, read, remember] = memory.tools();
console.log(await recall?.execute({ query: 'Which seats?', stores: ['preferences', 'diary'] }));
console.log(await read?.execute({ id: 'm1' }));
console.log(await remember?.execute({ entries: ['The user is a vegetarian.'] }));
