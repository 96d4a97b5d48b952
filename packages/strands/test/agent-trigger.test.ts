import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, tool } from '@strands-agents/sdk';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AgentTrigger, keepsake } from '../src/index.ts';

/** Also courtesies and questions, which the default leaves out. */
const filter = { exclude: ['toolUse', 'toolResult'] };

const remember = tool({
  name: 'remember',
  description: 'Flags that what was said is worth remembering.',
  inputSchema: z.object({}),
  callback: (_, context) => {
    context?.agent.appState.set('extract', true);
    return 'Flagged.';
  },
});

const flagged = () => new AgentTrigger({ name: 'flagged', when: (agent) => agent.appState.get('extract') === true });
const countOf = async (store: InMemoryStore) => (await store.list()).items.length;

describe('AgentTrigger', () => {
  it.each([
    ['without an outbox', {}],
    ['with an outbox', { outbox: new InMemoryStore({ name: 'outbox' }) }],
  ])('extracts only after a tool has set the flag, %s', async (_, options) => {
    const store = new InMemoryStore({ name: 'facts', extraction: { filter, trigger: flagged() } });
    const memory = new MemoryManager({ stores: [store], ...options });
    const model = new ScriptedModel('Hi.', { tool: 'remember', input: {} }, 'Done.');
    const agent = new Agent({ model, tools: [remember], plugins: [keepsake(memory)], printer: false });
    await agent.invoke('Hello');
    expect(await countOf(store)).toBe(0);
    await agent.invoke('Remember this');
    await expect.poll(() => countOf(store)).toBe(4);
  });

  it('checks the agent whose turn has ended if several share the memory', async () => {
    const store = new InMemoryStore({ name: 'facts', extraction: { filter, trigger: flagged() } });
    const memory = new MemoryManager({ stores: [store] });
    const agentWith = (conversationId: string, extract: boolean) =>
      new Agent({
        model: new ScriptedModel(`Answer to ${conversationId}.`),
        appState: { extract },
        plugins: [keepsake(memory, { conversationId })],
        printer: false,
      });
    await Promise.all([agentWith('one', true).invoke('First'), agentWith('two', false).invoke('Second')]);
    await expect.poll(() => countOf(store)).toBe(2);
    expect((await store.list()).items.map(({ turn }) => turn?.thread)).toEqual(['one', 'one']);
  });

  it('never fires in a conversation without an agent', async () => {
    const when = vi.fn(() => true);
    const store = new InMemoryStore({
      name: 'facts',
      extraction: { filter, trigger: new AgentTrigger({ name: 'always', when }) },
    });
    const chat = new MemoryManager({ stores: [store] }).conversation();
    chat.observe({ role: 'user', content: 'Hello' });
    await chat.endTurn();
    expect(when).not.toHaveBeenCalled();
  });
});

const always = () => true;

it.each([
  [{ when: always }, 'name'],
  [{ name: '', when: always }, 'name'],
  [{ name: 1, when: always }, 'name'],
  [{ name: 'flagged' }, 'when'],
  [{ name: 'flagged', when: true }, 'when'],
])('an AgentTrigger with an invalid option is refused: %j', (options, field) => {
  expect(() => new AgentTrigger(options as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(`\`${field}\``) }),
  );
});
