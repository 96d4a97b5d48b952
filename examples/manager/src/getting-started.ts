import { MemoryManager, type Message } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

const personal = new FileStore({ directory: '.keepsake', name: 'personal', extraction: true });
const memory = new MemoryManager({ stores: [personal] });

/** Your agent: any model, any framework. */
async function answer(messages: readonly Message[]): Promise<Message> {
  console.log(messages.at(-1)?.content);
  return { role: 'assistant', content: 'All right.' };
}

async function turn(thread: string, text: string): Promise<void> {
  const chat = memory.conversation({ id: thread });
  const asked: Message = { role: 'user', content: text };
  const reply = await answer(await chat.inject([asked])); // injection: the model reads what is known
  chat.observe(asked, reply); // extraction: remembers what was said
  chat.endTurn();
}

await turn('monday', 'On planes I want an aisle seat.');
await memory.flush(); // saves everything that was said
await turn('friday', 'Book me a seat to Oslo.');

await memory.flush();
await personal.close();
