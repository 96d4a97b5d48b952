import { MemoryManager, type Message, messageText } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

const store = new InMemoryStore({ name: 'travel' });
await store.add('Prefers aisle seats.');
await store.add('Eats vegetarian meals.');

const lastText = (messages: readonly Message[]) => messageText(messages.at(-1) as Message);
const memory = new MemoryManager({
  stores: [store],
  injection: {
    trigger: ({ messages }) => /\b(book|plan|reserve)\b/i.test(lastText(messages)),
    query: ({ messages }) => `seats and meals. ${lastText(messages)}`,
    maxEntries: 3,
    // Quoted, so that no entry can end its line and begin another.
    format: ({ entries }) => ['You know:', ...entries.map(({ content }) => `- ${JSON.stringify(content)}`)].join('\n'),
  },
});

const chat = memory.conversation();
for (const content of ['Good morning!', 'Book me a flight to Oslo.']) {
  const [message] = await chat.inject([{ role: 'user', content }]);
  console.log(`${message?.content}\n`);
}
