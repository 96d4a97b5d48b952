import { putTimes } from '@keepsake/testing/put-times';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import {
  Agent,
  configureLogging,
  type ExtractionConfig,
  InvocationTrigger,
  MemoryManager,
  type MessageData,
} from '@strands-agents/sdk';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

const warnings: unknown[] = [];

beforeAll(() => {
  const warn = (...args: unknown[]) => void warnings.push(...args);
  configureLogging({ debug() {}, info() {}, warn, error: warn });
});
beforeEach(() => {
  warnings.length = 0;
});

/** An agent that uses the store directly, with its model and its memory manager. */
function agentOn(store: InMemoryStore, ...replies: Reply[]) {
  const memory = new MemoryManager({ stores: [store], addToolConfig: true });
  const model = new ScriptedModel(...replies);
  return { agent: new Agent({ model, memoryManager: memory, printer: false }), model, memory };
}

const textsOf = (messages: MessageData[] | undefined): string[] =>
  messages?.flatMap(({ content }) => content.flatMap((block) => ('text' in block ? [block.text.trim()] : []))) ?? [];

const resultsOf = (messages: MessageData[] | undefined): unknown[] =>
  messages?.flatMap(({ content }) =>
    content.flatMap((block) => ('toolResult' in block ? block.toolResult.content : [])),
  ) ?? [];

async function utterances(store: InMemoryStore) {
  const { items } = await store.list({ order: 'oldest' });
  return items.map(({ content, turn }) => [turn?.index, turn?.speaker, content]);
}

describe('InMemoryStore as the memory of a Strands agent', () => {
  it('adds matching entries to the input of the model', async () => {
    const store = new InMemoryStore({ name: 'facts' });
    await store.add('Alice prefers aisle seats.');
    await store.add('The office closes at six.');
    const { agent, model } = agentOn(store, 'Aisle.');
    await agent.invoke('Which seats does Alice prefer?');
    expect(textsOf(model.inputs[0])).toEqual([
      'Which seats does Alice prefer?',
      '<memory>\n<entry source="facts">Alice prefers aisle seats.</entry>\n</memory>',
    ]);
  });

  it('works with the search tool and the add tool', async () => {
    const store = new InMemoryStore({ name: 'facts' });
    const { agent, model } = agentOn(
      store,
      { tool: 'add_memory', input: { entries: ['Alice lives in Oslo.', 'Alice lives in Oslo.'] } },
      { tool: 'search_memory', input: { query: 'Oslo' } },
      'Oslo.',
    );
    await agent.invoke('I live in Oslo.');
    expect(resultsOf(model.inputs[2])).toEqual([
      { json: { stored: 2 } },
      { json: { $value: [{ content: 'Alice lives in Oslo.', storeName: 'facts', metadata: {} }] } },
    ]);
    expect((await store.list()).items).toMatchObject([{ content: 'Alice lives in Oslo.', version: putTimes(1) }]);
  });

  it('stores each utterance with its turn, and no tool calls or results', async () => {
    const store = new InMemoryStore({ name: 'facts', extraction: true });
    const { agent, memory } = agentOn(store, { tool: 'search_memory', input: { query: 'seat' } }, 'No idea.', 'None.');
    await agent.invoke('Which seat?');
    await agent.invoke('Any?');
    expect(await utterances(store)).toEqual([]);
    await memory.flush();
    expect(await utterances(store)).toEqual([
      [0, 'user', 'Which seat?'],
      [3, 'assistant', 'No idea.'],
      [4, 'user', 'Any?'],
      [5, 'assistant', 'None.'],
    ]);
  });

  it('stores each utterance once if Strands sends a batch again', async () => {
    class LosesAnswer extends InMemoryStore {
      #lost = false;
      override async addMessages(...args: Parameters<InMemoryStore['addMessages']>) {
        const records = await super.addMessages(...args);
        if (this.#lost) return records;
        this.#lost = true;
        throw new Error('the answer got lost');
      }
    }
    const store = new LosesAnswer({ name: 'facts', extraction: { trigger: new InvocationTrigger() } });
    const { agent, memory } = agentOn(store, 'Hi', 'ok');
    await agent.invoke('Hello');
    await vi.waitFor(() => expect(warnings.join()).toContain('the answer got lost'), { timeout: 30_000 });
    await agent.invoke('ok');
    await memory.flush();
    expect(await utterances(store)).toEqual([
      [0, 'user', 'Hello'],
      [1, 'assistant', 'Hi'],
      [2, 'user', 'ok'],
      [3, 'assistant', 'ok'],
    ]);
  });

  it('stores the facts of an extractor', async () => {
    const extraction: ExtractionConfig = {
      trigger: new InvocationTrigger(),
      extractor: { extract: async () => [{ content: 'Alice likes tea.', metadata: { kind: 'taste' } }] },
    };
    const store = new InMemoryStore({ name: 'facts', extraction });
    const { agent, memory } = agentOn(store, 'Noted.', 'Noted.');
    for (const text of ['I like tea.', 'Tea!']) await agent.invoke(text);
    await memory.flush();
    expect((await store.list()).items).toMatchObject([{ content: 'Alice likes tea.', metadata: { kind: 'taste' } }]);
  });

  it('is never written to if it is read-only', async () => {
    const options = { name: 'facts', writable: false };
    expect(() => agentOn(new InMemoryStore(options))).toThrow('no writable stores');
    expect(() => new MemoryManager({ stores: [new InMemoryStore({ ...options, extraction: true })] })).toThrow(
      'not writable',
    );
    const all = new InMemoryStore({ name: 'all' });
    await all.add('Alice prefers aisle seats.');
    const store = all.within([], options);
    const memory = new MemoryManager({ stores: [store] });
    const model = new ScriptedModel('Aisle.');
    await new Agent({ model, memoryManager: memory, printer: false }).invoke('Which seats?');
    await memory.flush();
    expect(textsOf(model.inputs[0])[1]).toContain('Alice prefers aisle seats.');
    await expect(memory.add('x')).rejects.toThrow('no writable store');
    await expect(store.add('x')).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect((await all.list()).items).toHaveLength(1);
  });
});
