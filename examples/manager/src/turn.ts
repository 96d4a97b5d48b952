import { MemoryManager, type Message } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

const personal = new InMemoryStore({ name: 'personal', extraction: true });
const memory = new MemoryManager({ stores: [personal] });
const messages: Message[] = [{ role: 'user', content: 'I moved to Oslo.' }];

/** Stands in for a model that streams its answer, and is down at first. */
let attempts = 0;
async function* answer(): AsyncGenerator<string> {
  if (++attempts === 1) throw new Error('overloaded');
  yield 'Congrat';
  yield 'ulations!';
}

for (let isAnswered = false; !isAnswered; ) {
  try {
    const stream = await memory.turn({ thread: 'thread-42', messages, answer });
    for await (const text of stream) console.log(text);
    isAnswered = true;
  } catch (error) {
    console.log(String(error));
  }
}

await memory.flush();
for (const { content, source } of (await personal.list({ order: 'oldest' })).items) {
  console.log(`${source?.speaker}: ${content}`);
}
