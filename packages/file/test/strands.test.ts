import { isMemoryError } from '@keepsake/core';
import { losesAnswer } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { SHARE } from '@keepsake/testing/share';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import {
  Agent,
  type BaseModelConfig,
  configureLogging,
  type ExtractionConfig,
  ExtractionTrigger,
  type ExtractionTriggerContext,
  InvocationTrigger,
  MemoryManager,
  type MessageData,
  type Model,
  ModelExtractor,
} from '@strands-agents/sdk';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileStore, type FileStoreOptions } from '../src/index.ts';
import { type ConversationRequest, converse } from './converse.ts';
import { inAnotherProcess } from './programs/in-another-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

let directory: TemporaryDirectory;
const warnings: unknown[] = [];

beforeAll(() => {
  const warn = (...args: unknown[]) => void warnings.push(...args);
  configureLogging({ debug() {}, info() {}, warn, error: warn });
});
beforeEach(() => {
  directory = temporaryDirectory();
  warnings.length = 0;
});
afterEach(() => directory.remove());

const openStore = (options?: Partial<FileStoreOptions>) =>
  new FileStore({ directory: directory.path, name: 'facts', ...options });

/** An agent with a store or a memory manager, and its model and memory. */
function agentOn(stores: MemoryManager | FileStore, ...replies: Reply[]) {
  const memory =
    stores instanceof MemoryManager ? stores : new MemoryManager({ stores: [stores], addToolConfig: true });
  const model = new ScriptedModel(...replies);
  return { agent: new Agent({ model, memoryManager: memory, printer: false }), model, memory };
}

/** The memory block of a model's input. */
function memoryIn(messages: MessageData[] | undefined): string | undefined {
  const texts = messages?.at(-1)?.content.flatMap((block) => ('text' in block ? [block.text] : [])) ?? [];
  return texts.find((text) => text.includes('<memory>'))?.trim();
}

function entries(...texts: string[]): string {
  const lines = texts.map((text) => `<entry source="facts">${text}</entry>`);
  return ['<memory>', ...lines, '</memory>'].join('\n');
}

/** The tool results in the messages. */
function toolResults(messages: MessageData[] | undefined): unknown[] {
  const blocks = messages?.flatMap(({ content }) => content) ?? [];
  return blocks.flatMap((block) => ('toolResult' in block ? block.toolResult.content : []));
}

/** The stored utterances, oldest first, with a number instead of each thread's id. */
async function utterances() {
  const page = await openStore().list({ order: 'oldest' });
  const items = page.items.filter(({ turn }) => turn !== undefined);
  const threads = [...new Set(items.map(({ turn }) => turn?.thread))];
  return items.map(({ content, metadata, turn }) => {
    expect(metadata).toEqual({ role: turn?.speaker });
    return [threads.indexOf(turn?.thread), turn?.index, turn?.speaker, content];
  });
}

async function runInProcess(request: Pick<ConversationRequest, 'says' | 'replies'>): Promise<MessageData[][]> {
  const all: ConversationRequest = { directory: directory.path, ...request };
  return JSON.parse(await inAnotherProcess('run-strands.ts', JSON.stringify(all))) as MessageData[][];
}

/** The same by day in this process, because a process loads the SDK. */
const runApart: typeof runInProcess = async (request) =>
  SHARE === 1 ? runInProcess(request) : converse({ directory: directory.path, ...request });

describe('FileStore as the memory of a Strands agent', () => {
  it('adds relevant memories to the input of the model', async () => {
    const store = openStore();
    await store.add('Alice prefers aisle seats.');
    await store.add('The office closes at six.');
    const { agent, model } = agentOn(store, 'Aisle.', 'Hello.');
    await agent.invoke('Which seats does Alice prefer?');
    expect(memoryIn(model.inputs[0])).toBe(entries('Alice prefers aisle seats.'));
    await agent.invoke('Zebra?');
    expect(memoryIn(model.inputs[1])).toBeUndefined();
  });

  it.each([
    ['operators', '"aisle AND (seat:* OR -x ~[2 TO {3 ^4 \\ ?'],
    ['NUL and lone surrogates', 'aisle \0 \ud800 seat \udc00'],
    ['SQL and globs', "aisle'; DROP TABLE x; -- % _ * ../seat"],
    ['a long text', `aisle seat ${'lorem ipsum '.repeat(20_000)}`],
  ])('treats a query with %s as plain words', async (_name, question) => {
    const store = openStore();
    await store.add('Alice prefers aisle seats.');
    const { agent, model } = agentOn(store, 'Yes.');
    await agent.invoke(question);
    expect(memoryIn(model.inputs[0])).toBe(entries('Alice prefers aisle seats.'));
    expect(warnings).toEqual([]);
  });

  it('returns results to the search tool best first, up to the requested limit', async () => {
    const store = openStore({ description: 'What Alice said.' });
    await store.put({ content: 'Alice prefers aisle seats.', metadata: { topic: 'travel', tags: ['a', null, 1.5] } });
    await store.put({ content: 'Aisle seats near the aisle suit Alice.' });
    await store.put({ content: 'The office closes at six.' });
    const [best, second] = await store.search('aisle');
    const { agent, model } = agentOn(
      store,
      { tool: 'search_memory', input: { query: 'aisle' } },
      { tool: 'search_memory', input: { query: 'aisle', maxSearchResults: 1, stores: ['facts'] } },
      { tool: 'search_memory', input: { query: '  ' } },
      'Aisle.',
    );
    await agent.invoke('Hello');
    const found = [best, second].map((entry) => ({
      content: entry?.content,
      storeName: 'facts',
      metadata: entry?.metadata,
    }));
    expect(found.map(({ content }) => content).toSorted()).toEqual([
      'Aisle seats near the aisle suit Alice.',
      'Alice prefers aisle seats.',
    ]);
    expect(toolResults(model.inputs[3])).toEqual([
      { json: { $value: found } },
      { json: { $value: found.slice(0, 1) } },
      { json: { $value: [] } },
    ]);
    expect(model.tools).toEqual(['search_memory', 'add_memory']);
    // A failed search would look like one that found nothing.
    expect(warnings).toEqual([]);
  });

  it('stores the entries of the add tool, each text once', async () => {
    const { agent, model } = agentOn(
      openStore(),
      { tool: 'add_memory', input: { entries: ['Alice lives in Oslo.', 'Bob plays chess.'] } },
      { tool: 'add_memory', input: { entries: ['Alice lives in Oslo.'] } },
      'Noted.',
    );
    await agent.invoke('I am Alice, from Oslo. Bob plays chess.');
    expect(toolResults(model.inputs[2])).toEqual([{ json: { stored: 2 } }, { json: { stored: 1 } }]);
    const { items } = await openStore().list({ order: 'oldest' });
    expect(items.map(({ content, version }) => [content, version]).toSorted()).toEqual([
      ['Alice lives in Oslo.', putTimes(1)],
      ['Bob plays chess.', putTimes(1)],
    ]);
    expect((await openStore().search('Where does Alice live?'))[0]?.content).toBe('Alice lives in Oslo.');
  });

  it('tells the model why an add was refused', async () => {
    const { agent, model } = agentOn(openStore(), { tool: 'add_memory', input: { entries: [' '] } }, 'Sorry.');
    await agent.invoke('Remember nothing.');
    expect(JSON.stringify(toolResults(model.inputs[1]))).toContain('blank');
    expect((await openStore().list()).items).toEqual([]);
  });

  it('stays within its namespace', async () => {
    const root = openStore();
    await root.add('The root has aisle seats.');
    await root.within(['bob']).add('Bob has aisle seats.');
    const memory = new MemoryManager({ stores: [root.within(['alice'])], addToolConfig: true });
    const { agent, model } = agentOn(
      memory,
      { tool: 'add_memory', input: { entries: ['Alice has aisle seats.'] } },
      { tool: 'search_memory', input: { query: 'aisle seats' } },
      'Yes.',
    );
    await agent.invoke('Aisle seats?');
    expect(memoryIn(model.inputs[0])).toBeUndefined();
    expect(toolResults(model.inputs[2])[1]).toMatchObject({
      json: { $value: [{ content: 'Alice has aisle seats.' }] },
    });
    expect((await root.search('aisle seats')).map(({ content }) => content)).toEqual(['The root has aisle seats.']);
  });
});

describe('FileStore as a store of conversations in Strands', () => {
  it('stores each utterance with its turn, after every fifth invocation', async () => {
    const store = openStore({ extraction: true });
    const { agent } = agentOn(store, ...[0, 1, 2, 3, 4].map((turn) => `Answer ${turn}`));
    for (const turn of [0, 1, 2, 3]) await agent.invoke(`Question ${turn}`);
    expect(await utterances()).toEqual([]);
    await agent.invoke('Question 4');
    // Strands stores in the background.
    await vi.waitFor(async () => expect(await utterances()).not.toEqual([]), { timeout: 30_000 });
    // The records can be read before the write is complete, and the directory must exist until then.
    await store.close();
    expect(await utterances()).toEqual(
      [0, 1, 2, 3, 4].flatMap((turn) => [
        [0, 2 * turn, 'user', `Question ${turn}`],
        [0, 2 * turn + 1, 'assistant', `Answer ${turn}`],
      ]),
    );
  });

  it.each<[string, boolean | ExtractionConfig]>([
    ['true', true],
    ['settings that include tools', { filter: { exclude: [] } }],
  ])('leaves out messages that contain only tool use (extraction: %s)', async (_name, extraction) => {
    const store = openStore({ extraction });
    const { agent, memory } = agentOn(
      store,
      { tool: 'search_memory', input: { query: 'seat' } },
      'I do not know.',
      'No.',
    );
    await agent.invoke('Which seat?');
    await agent.invoke('Sure?');
    await memory.flush();
    expect(await utterances()).toEqual([
      [0, 0, 'user', 'Which seat?'],
      [0, 3, 'assistant', 'I do not know.'],
      [0, 4, 'user', 'Sure?'],
      [0, 5, 'assistant', 'No.'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('stores each utterance once if Strands sends a batch again', async () => {
    const store = losesAnswer(openStore({ extraction: { trigger: new InvocationTrigger() } }), 'addMessages');
    const { agent, memory } = agentOn(store, 'Hi', 'ok');
    await agent.invoke('Hello');
    await vi.waitFor(() => expect(warnings.join()).toContain('the answer got lost'), { timeout: 30_000 });
    const first = [
      [0, 0, 'user', 'Hello'],
      [0, 1, 'assistant', 'Hi'],
    ];
    expect(await utterances()).toEqual(first);
    // Strands sends the batch again, with the messages since then.
    await agent.invoke('ok');
    await memory.flush();
    expect(await utterances()).toEqual([...first, [0, 2, 'user', 'ok'], [0, 3, 'assistant', 'ok']]);
  });

  it('stores a failed batch when Strands sends it again', async () => {
    const { agent, memory } = agentOn(openStore({ extraction: true }), 'Hi');
    await agent.invoke('Hello');
    directory.hide();
    await memory.flush();
    expect(warnings.join()).toContain('memory extraction failed');
    directory.show();
    expect(await utterances()).toEqual([]);
    await memory.flush();
    expect(await utterances()).toEqual([
      [0, 0, 'user', 'Hello'],
      [0, 1, 'assistant', 'Hi'],
    ]);
  });

  it('separates the conversations of agents, although Strands counts each from 0', async () => {
    const store = openStore({ extraction: true });
    for (const name of ['Alice', 'Bob']) {
      const { agent, memory } = agentOn(store, `Hi ${name}`);
      await agent.invoke(`I am ${name}`);
      await memory.flush();
    }
    expect(await utterances()).toEqual([
      [0, 0, 'user', 'I am Alice'],
      [0, 1, 'assistant', 'Hi Alice'],
      [1, 0, 'user', 'I am Bob'],
      [1, 1, 'assistant', 'Hi Bob'],
    ]);
  });

  it('separates concurrent conversations if each agent has a separate store instance', async () => {
    const store = openStore({ extraction: true });
    const agents = ['Alice', 'Bob'].map((name) => {
      const memory = new MemoryManager({ stores: [store.within([])] });
      return { name, ...agentOn(memory, `Hi ${name}`, 'ok') };
    });
    for (const text of ['Hello', 'ok']) {
      for (const { agent, memory } of agents) {
        await agent.invoke(text);
        await memory.flush();
      }
    }
    expect((await utterances()).toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual(
      ['Alice', 'Bob'].flatMap((name, thread) => [
        [thread, 0, 'user', 'Hello'],
        [thread, 1, 'assistant', `Hi ${name}`],
        [thread, 2, 'user', 'ok'],
        [thread, 3, 'assistant', 'ok'],
      ]),
    );
  });

  it('supports custom triggers and extractors, and stores each fact once', async () => {
    class OnRequest extends ExtractionTrigger {
      readonly name = 'on-request';
      fire = () => {};
      override attach({ fire }: ExtractionTriggerContext): void {
        this.fire = fire;
      }
    }
    const trigger = new OnRequest();
    const extraction: ExtractionConfig = {
      trigger,
      extractor: { extract: async () => [{ content: 'Alice likes tea.', metadata: { kind: 'taste' } }] },
    };
    const store = openStore({ extraction });
    expect(store.extraction).toBe(extraction);
    const { agent, memory } = agentOn(losesAnswer(store, 'add'), 'Noted.');
    await agent.invoke('I like tea.');
    trigger.fire();
    await vi.waitFor(() => expect(warnings.join()).toContain('memory extraction failed'), { timeout: 30_000 });
    await memory.flush();
    const { items } = await openStore().list();
    expect(items).toMatchObject([{ content: 'Alice likes tea.', metadata: { kind: 'taste' }, version: putTimes(1) }]);
  });

  it('stores the facts of a ModelExtractor of Strands', async () => {
    const model: Model<BaseModelConfig> = new ScriptedModel('Here: [{"content": "Alice likes tea."}]');
    const extraction = { trigger: new InvocationTrigger(), extractor: new ModelExtractor({ model }) };
    const { agent, memory } = agentOn(openStore({ extraction }), 'Noted.');
    await agent.invoke('I like tea.');
    await memory.flush();
    expect((await openStore().search('tea')).map(({ content }) => content)).toEqual(['Alice likes tea.']);
  });
});

describe('FileStore between processes with Strands', () => {
  it('recalls in one process what another added and extracted', async () => {
    await converse({
      directory: directory.path,
      says: ['My cat is called Mimi.', 'Remember my seat.'],
      replies: ['A fine name.', { tool: 'add_memory', input: { entries: ['Alice prefers aisle seats.'] } }, 'I will.'],
    });
    const [seat, cat] = await runApart({
      says: ['Does Alice prefer the aisle?', 'Tell me who Mimi is.'],
      replies: ['Yes.', 'Your cat.'],
    });
    expect(memoryIn(seat)).toContain('<entry source="facts">Alice prefers aisle seats.</entry>');
    expect(memoryIn(cat)).toBe(entries('My cat is called Mimi.'));
    const heard = (await utterances()).map(([thread, index, , content]) => [thread, index, content]);
    expect(heard).toEqual([
      [0, 0, 'My cat is called Mimi.'],
      [0, 1, 'A fine name.'],
      [0, 2, 'Remember my seat.'],
      [0, 5, 'I will.'],
      [1, 0, 'Does Alice prefer the aisle?'],
      [1, 1, 'Yes.'],
      [1, 2, 'Tell me who Mimi is.'],
      [1, 3, 'Your cat.'],
    ]);
  });
});

describe('a read-only FileStore with Strands', () => {
  const readOnly = (options?: Partial<FileStoreOptions>) => openStore({ writable: false, ...options });

  it('is refused if the agent would write to it', () => {
    const stores = (store: FileStore) => ({ stores: [store] });
    expect(() => new MemoryManager({ ...stores(readOnly()), addToolConfig: true })).toThrow('no writable stores');
    expect(() => new MemoryManager(stores(readOnly({ extraction: true })))).toThrow('not writable');
  });

  it('is searched but never written to', async () => {
    await openStore().add('Alice prefers aisle seats.');
    const store = readOnly();
    const memory = new MemoryManager({
      stores: [store, openStore({ name: 'notes', namespace: ['notes'] })],
      addToolConfig: true,
    });
    const { agent, model } = agentOn(
      memory,
      { tool: 'add_memory', input: { entries: ['Alice lives in Oslo.'], stores: ['facts'] } },
      { tool: 'add_memory', input: { entries: ['Alice lives in Oslo.'] } },
      'Done.',
    );
    await agent.invoke('Which seats does Alice prefer?');
    expect(memoryIn(model.inputs[0])).toBe(entries('Alice prefers aisle seats.'));
    const [refused, stored] = toolResults(model.inputs[2]);
    expect(JSON.stringify(refused)).toContain('none of the requested memory stores are available');
    expect(stored).toEqual({ json: { stored: 1 } });
    await expect(memory.add('x', { stores: ['facts'] })).rejects.toThrow('read-only');
    // The store itself refuses, even without the manager.
    for (const write of [store.add('x'), store.addMessages([{ role: 'user', content: 'x' }])]) {
      const error = await write.catch((error: unknown) => error);
      expect(isMemoryError(error, 'READ_ONLY')).toBe(true);
    }
    expect((await openStore().list()).items.map(({ content }) => content)).toEqual(['Alice prefers aisle seats.']);
  });
});
