// A run has memory in its input, and none in its session.
import assert from 'node:assert/strict';
import { MemoryManager } from '@keepsake/core';
import { InMemorySession, InMemoryStore } from '@keepsake/in-memory';
import { memoryRunner, memoryTools, recentHistory } from '@keepsake/openai-agents';
import { Agent, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';

setTracingDisabled(true);
const store = new InMemoryStore({ name: 'facts', extraction: true });
await store.add('Alice prefers aisle seats.');
const memory = new MemoryManager({ stores: [store] });
const model = new ScriptedModel([[assistantMessage('Yes.')]]);
const agent = new Agent({ name: 'Guide', model, tools: memoryTools(memory) });
/** @type {InMemorySession<import('@openai/agents').AgentInputItem>} */
const session = new InMemorySession();
const runner = memoryRunner(memory, { sessionInputCallback: recentHistory({ maxTurns: 1 }) });
await runner.run(agent, 'Tell me which seats Alice prefers.', { session });
assert.match(JSON.stringify(model.lastCall?.request.input), /Alice prefers aisle seats\./);
assert.doesNotMatch(JSON.stringify(await session.getItems()), /aisle/);
await memory.flush();
assert.equal((await store.list()).items.length, 3);
