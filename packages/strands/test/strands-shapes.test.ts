import {
  type ExtractionConfig,
  InvocationTrigger,
  MemoryManager,
  type MemoryStore,
  ModelExtractor,
} from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  Agent,
  ExtractionTrigger,
  type ExtractionTriggerContext,
  MessageAddedEvent,
  IntervalTrigger as StrandsIntervalTrigger,
  InvocationTrigger as StrandsInvocationTrigger,
  MemoryManager as StrandsMemoryManager,
  ModelExtractor as StrandsModelExtractor,
  type Tool,
  tool,
} from '@strands-agents/sdk';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { keepsake } from '../src/index.ts';

type Extraction = ConstructorParameters<typeof InMemoryStore>[0]['extraction'];

/** A manager whose store has settings of the Strands SDK. */
function managerWith(extraction: Extraction | object) {
  const store = new InMemoryStore({ name: 'facts', extraction: extraction as ExtractionConfig });
  return { store, manager: () => new MemoryManager({ stores: [store] }) };
}

async function talk(memory: MemoryManager, turns: number) {
  const agent = new Agent({
    model: new ScriptedModel(...Array.from({ length: turns }, () => 'How nice.')),
    plugins: [keepsake(memory)],
    printer: false,
  });
  for (let turn = 1; turn <= turns; turn++) await agent.invoke(`Turn ${turn}`);
}

const countOf = async (store: InMemoryStore) => (await store.list({ limit: 100 })).items.length;

/** A trigger of a user of the Strands SDK. */
class Custom extends ExtractionTrigger {
  readonly name = 'custom';
  readonly #attach: (context: ExtractionTriggerContext) => void;

  constructor(attach: (context: ExtractionTriggerContext) => void) {
    super();
    this.#attach = attach;
  }

  override attach(context: ExtractionTriggerContext): void {
    this.#attach(context);
  }
}

describe('the manager of Keepsake accepts from the Strands SDK', () => {
  it('the trigger after each invocation', async () => {
    const { store, manager } = managerWith({ trigger: [new StrandsInvocationTrigger()] });
    await talk(manager(), 1);
    await expect.poll(() => countOf(store)).toBe(2);
  });

  it('the trigger after some invocations, for each conversation', async () => {
    const { store, manager } = managerWith({ trigger: new StrandsIntervalTrigger({ turns: 3 }) });
    const memory = manager();
    await talk(memory, 2);
    await talk(memory, 2);
    expect(await countOf(store)).toBe(0);
    await talk(memory, 3);
    await expect.poll(() => countOf(store)).toBe(6);
  });

  it('triggers of its users that hook on the end of an invocation or on messages', async () => {
    const seen: string[] = [];
    const trigger = new Custom(({ agent, fire }) => {
      const off = agent.addHook(MessageAddedEvent, ({ message: { role } }) => {
        seen.push(role);
        if (seen.length === 2) off();
      });
      agent.addHook(AfterInvocationEvent, () => fire());
    });
    const { store, manager } = managerWith({ trigger });
    await talk(manager(), 2);
    await expect.poll(() => countOf(store)).toBe(4);
    expect(seen).toEqual(['user', 'assistant']);
  });

  it('filters that exclude kinds of content', async () => {
    const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({}), callback: () => 'Seen.' });
    const exclude = async (kinds: readonly string[]) => {
      const { store, manager } = managerWith({ filter: { exclude: kinds } });
      const addMessages = vi.spyOn(store, 'addMessages');
      const memory = manager();
      const model = new ScriptedModel({ tool: 'look', input: {} }, 'Fine.');
      await new Agent({ model, tools: [look], plugins: [keepsake(memory)], printer: false }).invoke('Look');
      await memory.flush();
      return addMessages.mock.calls.flatMap(([messages]) =>
        messages.flatMap(({ content }) => (content as object[]).map((block) => Object.keys(block)[0])),
      );
    };
    expect(await exclude(['toolUse', 'toolResult'])).toEqual(['text', 'text']);
    expect(await exclude([])).toEqual(['text', 'toolUse', 'toolResult', 'text']);
    expect(await exclude(['text', 'toolUse'])).toEqual(['toolResult']);
  });

  it('the tools of a store, which get their agent', async () => {
    const names: unknown[] = [];
    const own = tool({
      name: 'forget_all',
      description: 'Forgets everything.',
      inputSchema: z.object({ sure: z.boolean() }),
      callback: (_, context) => {
        names.push(context?.agent.appState.get('name'));
        return 'Forgotten.';
      },
    });
    const memory = new MemoryManager({ stores: [withTools([own])] });
    const model = new ScriptedModel({ tool: 'forget_all', input: { sure: true } }, 'Done.');
    const plugins = [keepsake(memory)];
    await new Agent({ model, plugins, appState: { name: 'Ada' }, printer: false }).invoke('Forget everything');
    expect(names).toEqual(['Ada']);
    expect(model.tools).toContain('forget_all');
  });

  it('the tools of a store, also for other frameworks', async () => {
    const own = tool({
      name: 'double',
      description: 'Doubles.',
      inputSchema: z.object({ number: z.number() }),
      callback: ({ number }) => 2 * number,
    });
    const [double] = new MemoryManager({ stores: [withTools([own])] }).tools().filter(({ name }) => name === 'double');
    expect(double).toMatchObject({ description: 'Doubles.', inputSchema: { properties: { number: {} } } });
    expect(await double?.execute({ number: 21 })).toBe(42);
  });
});

describe('the manager of Keepsake refuses, by name,', () => {
  it.each<[string, object, string]>([
    ['extractors of the Strands SDK', { extractor: new StrandsModelExtractor() }, 'ModelExtractor of @keepsake/core'],
    [
      'triggers that hook on something else',
      { trigger: new Custom(({ agent, fire }) => void agent.addHook(AfterModelCallEvent, fire)) },
      'AgentTrigger of @keepsake/strands',
    ],
    [
      'triggers that read the state of their agent',
      { trigger: new Custom(({ agent, fire }) => void (agent.appState.get('x') && fire())) },
      'AgentTrigger of @keepsake/strands',
    ],
    ['filters of another form', { filter: { include: ['text'] } }, '{ exclude: [...] }'],
  ])('%s', (_, extraction, hint) => {
    expect(managerWith(extraction).manager).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(managerWith(extraction).manager).toThrow(hint);
    expect(managerWith(extraction).manager).toThrow('"facts"');
  });

  it('tools that can only be called by an agent', () => {
    const bare = { name: 'bare', description: 'Bare.', stream() {} } as unknown as Tool;
    expect(() => new MemoryManager({ stores: [withTools([bare])] })).toThrow('invoke()');
  });
});

describe('the manager of Strands refuses, by name,', () => {
  it.each([new InvocationTrigger()])('triggers of Keepsake', async (trigger) => {
    const store = new InMemoryStore({ name: 'facts', extraction: { trigger } });
    const memoryManager = new StrandsMemoryManager({ stores: [store as never] });
    const agent = new Agent({ model: new ScriptedModel('Hi.'), memoryManager, printer: false });
    await expect(agent.invoke('Hello')).rejects.toThrow('@strands-agents/sdk');
  });

  it('extractors of Keepsake', async () => {
    const messages = [{ role: 'user', content: [{ text: 'Hello' }] }];
    await expect(new ModelExtractor().extract(messages as never)).rejects.toThrow('@strands-agents/sdk');
  });
});

/** A store that is written for the Strands SDK. */
function withTools(tools: Tool[]): MemoryStore {
  return Object.assign(new InMemoryStore({ name: 'facts' }), { getTools: () => tools });
}
