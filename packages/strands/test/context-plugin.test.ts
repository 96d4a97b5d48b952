import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, type MessageData, tool } from '@strands-agents/sdk';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type ContextPluginOptions, contextPlugin } from '../src/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const advance = tool({
  name: 'advance',
  description: 'Advances the clock.',
  inputSchema: z.object({}),
  callback: (_, context) => {
    context?.agent.appState.set('hour', Number(context.agent.appState.get('hour')) + 1);
    return 'Advanced.';
  },
});

function setup(options: Partial<ContextPluginOptions> = {}) {
  const render = vi.fn<ContextPluginOptions['render']>(({ agent }) => `<hour>${agent.appState.get('hour')}</hour>`);
  const model = new ScriptedModel({ tool: 'advance', input: {} }, 'Late.', 'Later.');
  const plugins = [contextPlugin({ render, logger: silent, ...options })];
  const agent = new Agent({ model, plugins, tools: [advance], appState: { hour: 8 }, printer: false });
  return { model, agent, render };
}

const textsOf = (messages: readonly MessageData[] | undefined) =>
  messages?.map(({ content }) => content.flatMap((block) => ('text' in block ? [block.text] : [])));

describe('contextPlugin', () => {
  it('adds a text that stays during tool calls, from the agent and its state', async () => {
    const { model, agent, render } = setup();
    await agent.invoke('How late is it?');
    await agent.invoke('And now?');
    expect(textsOf(model.inputs[0])).toEqual([['How late is it?', '\n\n<hour>8</hour>']]);
    expect(textsOf(model.inputs[1])).toEqual([['How late is it?', '\n\n<hour>8</hour>'], [], []]);
    expect(textsOf(model.inputs[2])?.at(-1)).toEqual(['And now?', '\n\n<hour>9</hour>']);
    expect(render).toHaveBeenCalledTimes(2);
    expect(render.mock.lastCall?.[0].messages).toHaveLength(5);
  });

  it('never enters the messages and snapshots of the agent', async () => {
    const { agent } = setup();
    await agent.invoke('How late is it?');
    expect(JSON.stringify([agent.messages, agent.takeSnapshot({ preset: 'session' })])).not.toContain('<hour>');
  });

  it('adds the current text to each model call with the trigger `everyTurn`', async () => {
    const { model, agent } = setup({ trigger: 'everyTurn' });
    await agent.invoke('How late is it?');
    expect(textsOf(model.inputs[1])).toEqual([['How late is it?'], [], ['\n\n<hour>9</hour>']]);
  });

  it('asks a trigger, with the agent', async () => {
    const { model, agent } = setup({ trigger: ({ agent }) => agent.appState.get('hour') === 9 });
    await agent.invoke('How late is it?');
    expect(textsOf(model.inputs[0])).toEqual([['How late is it?']]);
    expect(textsOf(model.inputs[1])?.at(-1)).toEqual(['\n\n<hour>9</hour>']);
  });

  it('keeps the agents that share it apart', async () => {
    const plugin = contextPlugin({ render: ({ agent }) => `I am ${agent.appState.get('name')}.` });
    const texts = await Promise.all(
      ['Ada', 'Bo'].map(async (name) => {
        const model = new ScriptedModel('Hello.');
        await new Agent({ model, plugins: [plugin], appState: { name }, printer: false }).invoke('Hi');
        return textsOf(model.inputs[0]);
      }),
    );
    expect(texts).toEqual([[['Hi', '\n\nI am Ada.']], [['Hi', '\n\nI am Bo.']]]);
  });

  it('lets the model call go on if it fails', async () => {
    const { model, agent } = setup({ render: () => Promise.reject(new Error('broken')) });
    await agent.invoke('How late is it?');
    expect(textsOf(model.inputs[0])).toEqual([['How late is it?']]);
  });

  it.each<[object]>([
    [{}],
    [{ render: 'text' }],
    [{ render: String, trigger: 'never' }],
    [{ render: String, deadlineMs: 0 }],
  ])('refuses invalid options: %j', (options) => {
    expect(() => contextPlugin(options as never)).toThrow(/must be/);
  });
});
