import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

const memory = new MemoryManager({
  stores: [new InMemoryStore({ name: 'personal' }), new InMemoryStore({ name: 'team', maxSearchResults: 5 })],
});

await memory.add('Prefers aisle seats on long flights.', { stores: ['personal'], metadata: { category: 'travel' } });
await memory.add('Flights are booked by Thursday.', { stores: ['team'] });

const all = await memory.search('flights');
const scoped = await memory.search('flights', {
  stores: ['personal'],
  maxSearchResults: 5,
  filter: { category: 'travel' },
});
console.log(all.map(({ storeName, content }) => `${storeName}: ${content}`));
console.log(scoped.map(({ storeName, content }) => `${storeName}: ${content}`));
