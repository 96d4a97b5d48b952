import { InvocationTrigger, MemoryManager, ModelExtractor } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { scriptedModel } from './scripted-model.ts';

const cheapModel = scriptedModel({
  changes: [
    { action: 'add', id: null, content: 'The user prefers aisle seats.' },
    { action: 'add', id: null, content: 'The user is a vegetarian.' },
  ],
});
const preferences = new InMemoryStore({
  name: 'preferences',
  extraction: {
    trigger: new InvocationTrigger(), // after every turn instead of every five
    extractor: new ModelExtractor({
      model: cheapModel, // smaller than the agent's
      instructions: 'Keep only what the user likes and dislikes.',
    }),
  },
});
const memory = new MemoryManager({ stores: [preferences] });

const chat = memory.conversation({ id: 'thread-42' });
chat.observe(
  { role: 'user', content: 'Aisle seat please, and no meat for me.' },
  { role: 'assistant', content: 'Noted.' },
);
chat.endTurn();
console.log(await memory.flush());

for (const { content, metadata } of (await preferences.list({ order: 'oldest' })).items) {
  console.log(content, `(from ${metadata.sourceThread})`);
}
