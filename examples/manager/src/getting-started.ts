import { MemoryManager, type Message } from '@keepsake/core';
import { FileStore } from '@keepsake/file';

const personal = new FileStore({ directory: '.keepsake', name: 'personal', extraction: true });
const memory = new MemoryManager({ stores: [personal] });

/** Your agent: any model, any framework. */
async function answer(messages: readonly Message[]): Promise<string> {
  console.log(messages.at(-1)?.content);
  return 'All right.';
}

async function ask(thread: string, content: string): Promise<string> {
  return memory.turn({ thread, messages: [{ role: 'user', content }], answer });
}

await ask('monday', 'On planes I want an aisle seat.');
await memory.flush(); // saves everything that was said
await ask('friday', 'Book me a seat to Oslo.');

await memory.flush();
await personal.close();
