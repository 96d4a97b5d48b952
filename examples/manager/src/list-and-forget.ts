import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

const facts = new InMemoryStore({ name: 'facts' });
const diary = new InMemoryStore({ name: 'diary' });
await facts.put({ id: 'f1', content: 'Prefers aisle seats.', createdAt: '2026-11-02T08:00:00Z' });
await diary.put({ id: 'd1', content: 'Was in Lisbon in May.', createdAt: '2026-11-01T08:00:00Z' });
await diary.put({ id: 'd2', content: 'Wants aisle seats only.', createdAt: '2026-11-03T08:00:00Z' });
const memory = new MemoryManager({ stores: [facts, diary], forgetToolConfig: true });

// "What do you know about me?"
const { items } = await memory.list();
for (const { storeName, content } of items) console.log(`${storeName}: ${content}`);

// "Forget where I want to sit": choose from what was found.
const seats = items.filter(({ content }) => content.includes('seats'));
const { forgotten } = await memory.forget({ ids: seats });
console.log(
  'forgotten:',
  forgotten.map(({ id }) => id),
);

// The same, as a model does it.
const [search, , forget] = memory.tools();
console.log(await search?.execute({ query: 'Lisbon' }));
console.log(await forget?.execute({ ids: ['d1'] }));
