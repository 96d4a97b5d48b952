import { InvocationTrigger, MemoryManager, type MemoryModel, ModelExtractor } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

/** Stands in for a model with a content filter, which is too strict at first. */
let isStrict = true;
const model: MemoryModel = {
  async generate({ prompt }) {
    const refuses = isStrict && prompt.includes('knives');
    if (refuses) throw Object.assign(new Error('Refused by the content filter.'), { status: 400 });
    const content = prompt.includes('knives') ? 'The user collects knives.' : 'The user bakes bread.';
    return { text: JSON.stringify({ changes: [{ action: 'add', id: null, content, speaker: 'user' }] }) };
  },
};

const facts = new InMemoryStore({
  name: 'facts',
  extraction: { trigger: new InvocationTrigger(), extractor: new ModelExtractor() },
});
// Use a durable store as the outbox in your program.
const outbox = new InMemoryStore({ name: 'outbox' });
const memory = new MemoryManager({
  stores: [facts],
  model,
  outbox,
  telemetry: {
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    onStoreError: ({ error, count }) => console.log('reported:', String(error), count),
  },
});

const chat = memory.conversation({ id: 'thread-42' });
chat.observe({ role: 'user', content: 'I collect knives.' }, { role: 'user', content: 'I bake bread.' });
await chat.endTurn();
console.log(await memory.flush());

for (const { message, thread, error } of (await memory.deadLetters()).items) console.log(thread, message, error);
isStrict = false;
console.log(await memory.retryDeadLetters());
for (const { content } of (await facts.list({ order: 'oldest' })).items) console.log(content);
