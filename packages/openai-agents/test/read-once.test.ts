import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { readsValuesOnce } from '@keepsake/testing';
import { Agent, type AgentInputItem, type Model, Usage } from '@openai/agents';
import { expect, it } from 'vitest';
import { memoryRunner, type RunMemory, recentHistory, workspaceRunner } from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });
const runs = {} as never;
const injection = { render: () => 'now', trigger: 'everyTurn', deadlineMs: 50, logger: Object.create(console) };

readsValuesOnce([
  ['memoryRunner', (options) => memoryRunner(memory, options).config, { conversationId: 'a', groupId: 'b' }],
  ['injections', (injections) => memoryRunner(memory, { injections }).config, [injection]],
  ['workspaceRunner', (options) => workspaceRunner(runs, options).config, { conversationId: 'a', onError: () => {} }],
  ['recentHistory', (options) => recentHistory(options)([], []), { maxItems: 1, maxTurns: 1 }],
]);

it('remembers the input as it was, if the caller changes it during the run', async () => {
  const heard: unknown[] = [];
  const item = { role: 'user' as const, content: 'I live in Oslo' };
  const model = new ChangingModel(item);
  const kept: unknown[] = [];
  const workspace: RunMemory = {
    run: () => ({ rolloutId: 'a', append: async ({ input }) => void kept.push(...input) }),
    read: async () => ({ instructions: '' }),
    tools: () => [],
  };
  const store = new InMemoryStore({
    name: 'facts',
    extraction: { filter: (message: object) => void heard.push(message) },
  });
  const manager = new MemoryManager({ stores: [store], model: { generate: async () => ({ text: '' }) } });
  const agent = new Agent({ name: 'Clerk', model });
  await memoryRunner(manager, { tracingDisabled: true }).run(agent, [item]);
  await manager.flush();
  item.content = 'I live in Oslo';
  await workspaceRunner(workspace, { tracingDisabled: true }).run(agent, [item]);
  expect(JSON.stringify(heard)).toContain('Oslo');
  expect(kept).toEqual([{ role: 'user', content: 'I live in Oslo' }]);
});

/** A model during whose answer the caller changes an item of the input. */
class ChangingModel implements Model {
  readonly #item: { content: string };

  constructor(item: AgentInputItem & { content: string }) {
    this.#item = item;
  }

  async getResponse(): ReturnType<Model['getResponse']> {
    this.#item.content = 'I live in Rome';
    const content = [{ type: 'output_text' as const, text: 'Noted.' }];
    return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
  }

  getStreamedResponse(): never {
    throw new Error('Not streamed.');
  }
}
