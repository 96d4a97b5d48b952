/**
 * Two users of one knowledge base: on an emulator, or on the service if KNOWLEDGE_BASE_ID and DATA_SOURCE_ID are set in the
 * environment.
 *
 * npm start -w examples/bedrock-memory
 */
import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { MemoryManager } from '@keepsake/core';
import { connect } from './connect.ts';

const { connection, where, disconnect } = await connect();
console.log(`On ${where}`);

const storeOf = (user: string) =>
  new BedrockKnowledgeBaseStore({ name: 'facts', connection, namespace: ['example', user], writable: true });
const [alice, bob] = [storeOf('alice'), storeOf('bob')];

const facts = [
  { store: alice, text: 'Alice prefers aisle seats on flights.', metadata: { topic: 'travel' } },
  { store: alice, text: 'Alice is allergic to hazelnuts.', metadata: { topic: 'health' } },
  { store: bob, text: 'Bob prefers window seats on flights.', metadata: { topic: 'travel' } },
];
const added = [];
for (const { store, text, metadata } of facts) {
  const { documentId, status } = await store.add(text, metadata);
  added.push({ store, documentId });
  console.log(`  added (${status}): ${text}`);
}
for (const { store, documentId } of added) await store.waitUntilIndexed(documentId);

const question = 'Which seats on flights?';
for (const [name, store] of [
  ['Alice', alice],
  ['Bob', bob],
] as const) {
  const memory = new MemoryManager({ stores: [store], search: { deadlineMs: 10_000 } });
  const found = await memory.search(question, { maxSearchResults: 1, filter: { topic: 'travel' } });
  console.log(`  ${name}, "${question}": ${found.map(({ content }) => content).join(' ')}`);
}

for (const { store, documentId } of added) await store.delete(documentId);
await disconnect();
