import { MemoryManager, type MemoryStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { Agent, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { beforeAll, expect, it } from 'vitest';
import { agentsModel, type MemoryRunnerOptions, memoryRunner } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));

const changes = [{ action: 'add', id: '', content: 'Alice keeps bees.', speaker: 'user' }];
const learned = [assistantMessage(JSON.stringify({ changes }))];
const answered = [assistantMessage('How nice.')];

/** A store without `addMessages`, so that its extraction needs a model. */
function addOnly(): MemoryStore & Pick<InMemoryStore, 'list'> {
  const store = new InMemoryStore({ name: 'facts', extraction: true });
  return Object.assign(store, { addMessages: undefined as never });
}

interface Setup {
  readonly agent?: { readonly model: string | ScriptedModel };
  readonly runner?: (model: ScriptedModel) => MemoryRunnerOptions;
}

it.each<[string, Setup]>([
  ['of the runner', { runner: (model) => ({ model }) }],
  [
    'of the agent, rather than that of the runner',
    { agent: { model: 'own' }, runner: (model) => named(model, 'own', 'other') },
  ],
  ["of the runner's provider, by its name", { runner: (model) => named(model, 'other', 'other') }],
  ["of the runner's provider, by default", { runner: (model) => named(model, '', undefined) }],
])('extraction uses the model %s if the manager has none', async (_, { agent, runner }) => {
  const store = addOnly();
  const memory = new MemoryManager({ stores: [store] });
  const model = new ScriptedModel([answered, learned]);
  await memoryRunner(memory, runner?.(model)).run(new Agent({ name: 'Guide', ...agent }), 'I keep bees.');
  await memory.flush({ throwOnFailure: true });
  expect((await store.list()).items.map(({ content }) => content)).toEqual(['Alice keeps bees.']);
  expect(model.calls).toHaveLength(2);
});

it('extraction stores nothing at the provider if the agent does not', async () => {
  const memory = new MemoryManager({ stores: [addOnly()] });
  const model = new ScriptedModel([answered, learned]);
  const agent = new Agent({ name: 'Guide', model, modelSettings: { store: false, temperature: 2 } });
  await memoryRunner(memory).run(agent, 'I keep bees.');
  await memory.flush({ throwOnFailure: true });
  expect(model.lastCall?.request).toMatchObject({ modelSettings: { store: false }, tracing: false });
  expect(model.lastCall?.request.modelSettings).not.toHaveProperty('temperature');
});

it("extraction uses the manager's model if it has one", async () => {
  const extractor = new ScriptedModel([learned]);
  const memory = new MemoryManager({ stores: [addOnly()], model: agentsModel(extractor) });
  const model = new ScriptedModel([answered]);
  await memoryRunner(memory).run(new Agent({ name: 'Guide', model }), 'I keep bees.');
  await memory.flush({ throwOnFailure: true });
  expect([model.calls.length, extractor.calls.length]).toEqual([1, 1]);
});

/** A runner with a model's name, whose provider knows one model. */
function named(model: ScriptedModel, known: string, name: string | undefined): MemoryRunnerOptions {
  const modelProvider = {
    async getModel(wanted = '') {
      expect(wanted).toBe(known);
      return model;
    },
  };
  return { modelProvider, ...(name !== undefined && { model: name }) };
}
