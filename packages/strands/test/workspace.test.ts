import { useDirectory } from '@keepsake/testing';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { AfterInvocationEvent, Agent, type AgentConfig, tool } from '@strands-agents/sdk';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { workspace } from '../src/index.ts';

const directory = useDirectory();
let memory: WorkspaceMemory;
beforeEach(() => {
  const model = { generate: () => Promise.reject(new Error('not asked here')) };
  memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model });
});

/** Also records the system prompts. */
class WatchedModel extends ScriptedModel {
  readonly prompts: unknown[] = [];
  override async *stream(...args: Parameters<ScriptedModel['stream']>) {
    this.prompts.push((args as unknown[])[1]);
    yield* super.stream(...args);
  }
}

function setup(replies: Reply[], config: Partial<AgentConfig> = {}) {
  const model = new WatchedModel(...replies);
  const plugins = [workspace(memory, { conversationId: 'fix' })];
  return {
    model,
    agent: new Agent({ model, plugins, printer: false, retryStrategy: null, systemPrompt: 'Be brief.', ...config }),
  };
}

async function segments() {
  const text = (await localDirectory(directory.path).read('sessions/fix.jsonl'))?.text ?? '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

it('a workspace plugin passes the summary and the tools to the model, and saves the invocation', async () => {
  const files = localDirectory(directory.path);
  await files.write('memories/memory_summary.md', '- Tests run with make check [rollouts: a]');
  await files.write('memories/MEMORY.md', '# T\n- The port is 8080 [rollouts: a]');
  const { model, agent } = setup([{ tool: 'memory_search', input: { query: 'port' } }, '8080.']);
  await agent.invoke('Which port?');
  expect(JSON.stringify(model.prompts)).toMatch(
    /Be brief\.[\s\S]*# Memory of earlier runs[\s\S]*- Tests run with make check/,
  );
  expect(JSON.stringify(model.inputs[1])).toContain('The port is 8080');
  expect(await segments()).toMatchObject([
    {
      rolloutId: 'fix',
      input: [{ role: 'user', content: [{ text: 'Which port?' }] }],
      generatedItems: [
        { content: [{ toolUse: { name: 'memory_search' } }] },
        { content: [{ toolResult: {} }] },
        { role: 'assistant' },
      ],
      terminal: { state: 'completed', hasFinalOutput: true },
    },
  ]);
  expect(JSON.stringify(await segments())).not.toContain('Memory of earlier runs');
});

it('each invocation is saved once, with only its new messages', async () => {
  const { agent } = setup(['One.', 'Two.']);
  await agent.invoke('First');
  await agent.invoke('Second');
  expect((await segments()).map(({ input }) => input[0].content[0].text)).toEqual(['First', 'Second']);
});

it('an invocation that an agent resumes itself is saved once, with all of its rounds', async () => {
  const { agent } = setup(['One.', 'Two.', 'Three.']);
  const followUps = ['Go on', 'And now?'];
  agent.addHook(AfterInvocationEvent, (event) => {
    event.resume = followUps.shift();
  });
  await agent.invoke('First');
  expect(await segments()).toMatchObject([
    {
      input: [{ content: [{ text: 'First' }] }],
      generatedItems: ['One.', 'Go on', 'Two.', 'And now?', 'Three.'].map((text) => ({ content: [{ text }] })),
      terminal: { state: 'completed', hasFinalOutput: true },
    },
  ]);
});

it('an invocation that fails after an agent has resumed itself is saved with what came before', async () => {
  const { agent } = setup(['One.', new Error('The model is gone.'), 'Three.']);
  let isFirst = true;
  agent.addHook(AfterInvocationEvent, (event) => {
    if (isFirst) event.resume = 'Go on';
    isFirst = false;
  });
  await expect(agent.invoke('First')).rejects.toThrow('The model is gone.');
  await agent.invoke('Third');
  expect(await segments()).toMatchObject([
    { generatedItems: [{}, { content: [{ text: 'Go on' }] }], terminal: { state: 'failed' } },
    { input: [{ content: [{ text: 'Third' }] }], terminal: { state: 'completed' } },
  ]);
});

it('a workspace plugin adds nothing if there is no memory', async () => {
  const { model, agent } = setup(['Hello.']);
  await agent.invoke('Hi');
  expect(JSON.stringify(model.prompts)).not.toContain('Memory');
});

it('a failed invocation is saved with its error', async () => {
  const { agent } = setup([new TypeError('x is null'), 'Better.']);
  await expect(agent.invoke('Try')).rejects.toThrow('x is null');
  expect(await segments()).toMatchObject([
    {
      input: [{ role: 'user' }],
      terminal: { state: 'failed', exceptionMessage: expect.stringContaining('x is null'), hasFinalOutput: false },
    },
  ]);
  await agent.invoke('Again');
  expect(await segments()).toHaveLength(2);
});

it('an interrupted invocation is saved with its pending interrupts', async () => {
  const ask = tool({
    name: 'deploy',
    description: 'Deploys.',
    inputSchema: z.object({}),
    callback: (_, context) => String(context?.interrupt({ name: 'approval', reason: 'production' })),
  });
  const { agent } = setup([{ tool: 'deploy', input: {} }], { tools: [ask] });
  const { stopReason } = await agent.invoke('Deploy');
  expect(stopReason).toBe('interrupt');
  expect(await segments()).toMatchObject([
    { interruptions: [{ name: 'approval' }], terminal: { state: 'interrupted', hasFinalOutput: false } },
  ]);
});

it('an invocation that is not read to its end is saved by closing the memory', async () => {
  const { agent } = setup(['Streamed.']);
  const stream = agent.stream('Stream');
  let next = await stream.next();
  while (!next.done && next.value.type !== 'beforeModelCallEvent') next = await stream.next();
  expect((await memory.close()).failed).toMatchObject([{ rolloutId: 'fix' }]);
  expect(await segments()).toMatchObject([
    { input: [{ content: [{ text: 'Stream' }] }], terminal: { state: 'cancelled' } },
  ]);
});
