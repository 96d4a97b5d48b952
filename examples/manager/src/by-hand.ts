import { MemoryManager, type Message } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

const personal = new InMemoryStore({ name: 'personal', extraction: true });
const memory = new MemoryManager({ stores: [personal] });

/** Your agent: any model, any framework. */
async function answer(messages: readonly Message[]): Promise<Message> {
  console.log(messages.at(-1)?.content);
  return { role: 'assistant', content: 'All right.' };
}

async function turn(thread: string, text: string): Promise<void> {
  const chat = memory.conversation({ id: thread });
  const asked: Message = { role: 'user', content: text };
  const input = await chat.inject([asked]); // injection: the model reads what is known
  chat.observe(asked); // extraction: remembers what the user said …
  try {
    chat.observe(await answer(input)); // … and the answer
    await chat.endTurn();
  } catch (error) {
    await chat.endTurn({ failed: true });
    throw error;
  }
}

await turn('monday', 'On planes I want an aisle seat.');
await memory.flush();
await turn('friday', 'Book me a seat to Oslo.');
await memory.flush();
