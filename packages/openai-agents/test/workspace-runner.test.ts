import { InMemorySession } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { Agent, type AgentInputItem, type NonStreamRunOptions, setTracingDisabled, tool } from '@openai/agents';
import {
  assistantMessage,
  functionCall,
  modelError,
  ScriptedModel,
  type ScriptedModelInput,
} from '@openai/agents/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type WorkspaceRunnerOptions, workspaceRunner, workspaceTools } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));
const directory = useDirectory();

let memory: WorkspaceMemory;
beforeEach(async () => {
  const model = { generate: () => Promise.reject(new Error('not asked here')) };
  memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model });
});

const deploy = tool({
  name: 'deploy',
  description: 'Deploys.',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'Deployed.',
});

function setup(steps: ScriptedModelInput[], options: WorkspaceRunnerOptions = { conversationId: 'fix' }) {
  const model = new ScriptedModel(steps);
  const agent = new Agent({
    name: 'Engineer',
    instructions: 'Be brief.',
    model,
    tools: [deploy, ...workspaceTools(memory)],
  });
  return { model, agent, runner: workspaceRunner(memory, options) };
}

async function segments(id = 'fix') {
  const text = (await localDirectory(directory.path).read(`sessions/${id}.jsonl`))?.text ?? '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

it('a workspace runner passes the summary and the tools to the model, and saves the run', async () => {
  const files = localDirectory(directory.path);
  await files.write('memories/memory_summary.md', '- Tests run with make check [rollouts: a]');
  await files.write('memories/MEMORY.md', '# T\n- The port is 8080 [rollouts: a]');
  const { model, agent, runner } = setup([
    [functionCall('memory_search', { query: 'port' }, { callId: 'c1' })],
    [assistantMessage('8080.')],
  ]);
  const { finalOutput } = await runner.run(agent, 'Which port?');
  expect(finalOutput).toBe('8080.');
  for (const { request } of model.calls) {
    expect(request.systemInstructions).toMatch(
      /^Be brief\.\n\n# Memory of earlier runs[\s\S]*- Tests run with make check/,
    );
  }
  expect(JSON.stringify(model.calls[1]?.request.input)).toContain('The port is 8080');
  expect(await segments()).toMatchObject([
    {
      rolloutId: 'fix',
      input: [{ role: 'user', content: 'Which port?' }],
      generatedItems: [
        { type: 'function_call', name: 'memory_search' },
        { type: 'function_call_result' },
        { role: 'assistant' },
      ],
      terminal: { state: 'completed', hasFinalOutput: true },
      finalOutput: '8080.',
    },
  ]);
  expect(JSON.stringify(await segments())).not.toContain('Memory of earlier runs');
});

it('a workspace runner adds nothing if there is no memory', async () => {
  const { model, agent, runner } = setup([[assistantMessage('Hello.')]]);
  await runner.run(agent, 'Hi');
  expect(model.lastCall?.request.systemInstructions).toBe('Be brief.');
});

it('the runs of a session are saved in one conversation, each with only its new items', async () => {
  const { agent, runner } = setup([[assistantMessage('One.')], [assistantMessage('Two.')]], {});
  const session = new InMemorySession<AgentInputItem>({ sessionId: 'gtm-q2' });
  await runner.run(agent, 'First', { session });
  await runner.run(agent, 'Second', { session });
  expect((await segments('gtm-q2')).map(({ input }) => input)).toMatchObject([
    [{ content: 'First' }],
    [{ content: 'Second' }],
  ]);
});

it('the group is the conversation if there is no session', async () => {
  const { agent, runner } = setup([[assistantMessage('One.')], [assistantMessage('Two.')]], { groupId: 'group' });
  await runner.run(agent, 'First');
  await runner.run(agent, 'Second');
  expect(await segments('group')).toHaveLength(2);
});

it('an interrupted run is saved, and after it is resumed only the new items', async () => {
  const { agent, runner } = setup([[functionCall('deploy', {}, { callId: 'c1' })], [assistantMessage('Done.')]]);
  const waiting = await runner.run(agent, 'Deploy');
  waiting.state.approve(waiting.interruptions[0] as never);
  await runner.run(agent, waiting.state);
  const [first, second] = await segments();
  expect(first).toMatchObject({
    generatedItems: [{ type: 'function_call', name: 'deploy' }],
    interruptions: [{ name: 'deploy' }],
    terminal: { state: 'interrupted', hasFinalOutput: false },
  });
  expect(second).toMatchObject({ input: [], terminal: { state: 'completed' } });
  expect(second.generatedItems.map(({ type, role }: { type: string; role?: string }) => role ?? type)).toEqual([
    'function_call_result',
    'assistant',
  ]);
});

it.each<[string, ScriptedModelInput[], Partial<NonStreamRunOptions<unknown, Agent>>]>([
  ['failed', [modelError(new TypeError('x is null'))], {}],
  [
    'max_turns_exceeded',
    [[functionCall('memory_search', { query: 'x' }, { callId: 'c1' })], [assistantMessage('x')]],
    { maxTurns: 1 },
  ],
  ['cancelled', [[assistantMessage('x')]], { signal: AbortSignal.abort() }],
])('a run that is %s is saved with the reason', async (state, steps, options) => {
  const { agent, runner } = setup(steps);
  await expect(runner.run(agent, 'Try', options)).rejects.toThrow();
  const [segment] = await segments();
  expect(segment).toMatchObject({
    input: [{ content: 'Try' }],
    terminal: { state, hasFinalOutput: false, exceptionType: expect.any(String) },
  });
  if (state === 'failed') expect(segment.terminal.exceptionMessage).toContain('x is null');
  if (state === 'max_turns_exceeded')
    expect(segment.generatedItems).toMatchObject([{ type: 'function_call' }, { type: 'function_call_result' }]);
});

it('a run that tripped a guardrail is saved', async () => {
  const { runner, model } = setup([[assistantMessage('x')]]);
  const guard = { name: 'never', execute: async () => ({ tripwireTriggered: true, outputInfo: {} }) };
  await expect(runner.run(new Agent({ name: 'Guarded', model, inputGuardrails: [guard] }), 'Try')).rejects.toThrow();
  expect(await segments()).toMatchObject([{ terminal: { state: 'guardrail_tripped' } }]);
});

it('a streamed run is saved after it has ended', async () => {
  const { agent, runner } = setup([[assistantMessage('Streamed.')]]);
  const stream = await runner.run(agent, 'Stream', { stream: true });
  await stream.completed;
  await expect.poll(() => segments()).toMatchObject([{ finalOutput: 'Streamed.', terminal: { state: 'completed' } }]);
});

it.each<[string, (stream: { completed: Promise<void>; toTextStream(): AsyncIterable<string> }) => Promise<unknown>]>([
  ['waited for', (stream) => stream.completed],
  [
    'read to the end',
    async (stream) => {
      for await (const _ of stream.toTextStream());
    },
  ],
])('a streamed run that was %s is saved before the memory closes', async (_, end) => {
  const { agent, runner } = setup([[assistantMessage('Streamed.')]]);
  const stream = await runner.run(agent, 'Stream', { stream: true });
  await end(stream as never);
  const { failed } = await memory.close();
  expect(failed).toMatchObject([{ rolloutId: 'fix' }]);
  expect(await segments()).toMatchObject([{ finalOutput: 'Streamed.', terminal: { state: 'completed' } }]);
});

it('a streamed run that nobody reads is saved by closing the memory', async () => {
  const { agent, runner } = setup([[assistantMessage('Streamed.')]]);
  await runner.run(agent, 'Stream', { stream: true });
  expect((await memory.close()).failed).toMatchObject([{ rolloutId: 'fix' }]);
  expect(await segments()).toMatchObject([{ finalOutput: 'Streamed.', terminal: { state: 'completed' } }]);
});

it('a run returns its result even if it cannot be saved, and the error is reported', async () => {
  const errors: unknown[] = [];
  const { agent } = setup([[assistantMessage('Answer.')]]);
  const broken = { ...localDirectory(directory.path), append: () => Promise.reject(new Error('full')) };
  memory = new WorkspaceMemory({
    workspace: { ...broken, id: 'broken' },
    model: { generate: () => Promise.reject(new Error()) },
  });
  const failing = workspaceRunner(memory, { onError: (error) => errors.push(error) });
  expect((await failing.run(agent, 'x')).finalOutput).toBe('Answer.');
  expect(errors).toMatchObject([{ message: 'full' }]);
});
