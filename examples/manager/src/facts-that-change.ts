import { InvocationTrigger, MemoryManager, ModelExtractor } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { scriptedModel } from './scripted-model.ts';

// The second answer updates the memory that the model saw as number 1.
const model = scriptedModel(
  { changes: [{ action: 'add', id: null, content: 'The user lives in Berlin.' }] },
  { changes: [{ action: 'update', id: '1', content: 'The user lives in Lisbon.' }] },
);
const store = new InMemoryStore({
  name: 'personal',
  extraction: { trigger: new InvocationTrigger(), extractor: new ModelExtractor() },
});
const memory = new MemoryManager({ stores: [store], model });

for (const content of ['I live in Berlin.', 'I moved to Lisbon!']) {
  const chat = memory.conversation();
  chat.observe({ role: 'user', content });
  chat.endTurn();
  await memory.flush();
}

const [current] = (await store.list()).items;
for (const { content, supersededBy } of await store.history(current?.id ?? '')) {
  console.log(content, supersededBy === undefined ? '(now)' : '(before)');
}
console.log(await memory.conversation().block([{ role: 'user', content: 'Which city does the user live in?' }]));
