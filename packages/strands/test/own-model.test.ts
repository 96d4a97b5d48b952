import { MemoryManager, type MemoryStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent } from '@strands-agents/sdk';
import { expect, it } from 'vitest';
import { keepsake, strandsModel } from '../src/index.ts';

const learned = {
  tool: 'answer',
  input: { changes: [{ action: 'add', id: '', content: 'Alice keeps bees.', speaker: 'user' }] },
};

/** A store without `addMessages`, so that its extraction needs a model. */
function addOnly(): MemoryStore & Pick<InMemoryStore, 'list'> {
  const store = new InMemoryStore({ name: 'facts', extraction: true });
  return Object.assign(store, { addMessages: undefined as never });
}

it("extraction uses the agent's own model if the manager has none", async () => {
  const store = addOnly();
  const memory = new MemoryManager({ stores: [store] });
  const model = new ScriptedModel('How nice.', learned);
  const agent = new Agent({ model, plugins: [keepsake(memory)], printer: false });
  await agent.invoke('I keep bees.');
  await memory.flush({ throwOnFailure: true });
  expect((await store.list()).items.map(({ content }) => content)).toEqual(['Alice keeps bees.']);
  expect(model.inputs).toHaveLength(2);
});

it("extraction uses the manager's model if it has one", async () => {
  const store = addOnly();
  const extractor = new ScriptedModel(learned);
  const memory = new MemoryManager({ stores: [store], model: strandsModel(extractor) });
  const model = new ScriptedModel('How nice.');
  const agent = new Agent({ model, plugins: [keepsake(memory)], printer: false });
  await agent.invoke('I keep bees.');
  await memory.flush({ throwOnFailure: true });
  expect([model.inputs.length, extractor.inputs.length]).toEqual([1, 1]);
});

it('extraction uses the model that the agent has now', async () => {
  const store = addOnly();
  const memory = new MemoryManager({ stores: [store] });
  const first = new ScriptedModel('How nice.');
  const agent = new Agent({ model: first, plugins: [keepsake(memory)], printer: false });
  await agent.invoke('Hello');
  const second = new ScriptedModel('How nice.', learned);
  agent.model = second;
  await agent.invoke('I keep bees.');
  await memory.flush({ throwOnFailure: true });
  expect([first.inputs.length, second.inputs.length]).toEqual([1, 2]);
});
