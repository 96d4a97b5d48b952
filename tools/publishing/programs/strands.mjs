// An agent has memory in its input, and none in its messages.
import assert from 'node:assert/strict';
import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { AgentTrigger, keepsake } from '@keepsake/strands';
import { Agent, Model } from '@strands-agents/sdk';

class Yes extends Model {
  /** @type {string[]} */
  inputs = [];
  /** @override */
  updateConfig() {}
  /** @override */
  getConfig() {
    return { modelId: 'yes', contextWindowLimit: 100_000 };
  }
  /**
   * @override
   * @param {import('@strands-agents/sdk').Message[]} messages
   * @returns {AsyncGenerator<import('@strands-agents/sdk').ModelStreamEvent>}
   */
  async *stream(messages) {
    this.inputs.push(JSON.stringify(messages));
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    yield { type: 'modelContentBlockStartEvent' };
    yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: 'Yes.' } };
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: 'endTurn' };
  }
}

const trigger = new AgentTrigger({ name: 'never', when: () => false });
const store = new InMemoryStore({ name: 'facts', extraction: { trigger } });
await store.add('Alice prefers aisle seats.');
const memory = new MemoryManager({ stores: [store] });
const model = new Yes();
const agent = new Agent({ model, plugins: [keepsake(memory)], printer: false });
await agent.invoke('Tell me which seats Alice prefers.');
assert.match(model.inputs[0] ?? '', /Alice prefers aisle seats\./);
assert.doesNotMatch(JSON.stringify(agent.messages), /aisle/);
assert.equal((await store.list()).items.length, 1);
await memory.flush();
assert.equal((await store.list()).items.length, 3);
