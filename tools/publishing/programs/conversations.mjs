// A run that completes, one that waits, a summary and a profile.
import assert from 'node:assert/strict';
import { asSession, ConversationMemory } from '@keepsake/conversations';
import { InMemoryStore } from '@keepsake/in-memory';

const memory = new ConversationMemory({
  store: new InMemoryStore({ name: 'chats' }),
  fullSessionMemory: true,
  summaryMemory: { summariser: { summarise: async ({ said }) => `They said: ${said[0]?.text}` } },
  userAnalysisMemory: { profiler: { analyse: async () => ({ name: 'Alice' }) } },
});
const agent = memory.for('agent', { sessionId: 'trip', userId: 'alice' });
const { errors } = await agent.save({ status: 'completed', items: [{ role: 'user', content: 'To Porto?' }] });
assert.deepEqual(errors, []);
const { messageHistory, contextInjection, systemPromptInjection } = await agent.prepare({
  agentMetadata: { model: undefined },
});
assert.deepEqual(messageHistory, [{ role: 'user', content: 'To Porto?' }]);
assert.match(contextInjection, /They said: To Porto\?/);
assert.match(systemPromptInjection, /- name: Alice/);

await agent.save({ runId: 'refund', status: 'paused', items: [], checkpoint: { amount: 80, reason: undefined } });
assert.deepEqual((await agent.loadResumableRun('refund'))?.checkpoint, { amount: 80 });
assert.equal((await asSession(agent).getItems()).length, 1);
await assert.rejects(memory.for('agent', { sessionId: 'trip', userId: 'bob' }).getMessages());
