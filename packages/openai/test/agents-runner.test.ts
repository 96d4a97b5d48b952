import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { SHARE } from '@keepsake/testing/share';
import { Agent, type AgentInputItem, OpenAIResponsesModel, Runner, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall } from '@openai/agents/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OpenAIConversationsSession } from '../src/index.ts';
import { clerk, outline, resumed } from './clerk.ts';
import { count, emulated } from './emulated.ts';

beforeAll(() => setTracingDisabled(true));

async function setUp(steps: Parameters<typeof clerk>[0]) {
  const { emulator, client } = await emulated();
  const session = new OpenAIConversationsSession<AgentInputItem>({ client });
  return { emulator, client, ...clerk(steps), session, runner: new Runner() };
}

describe('the runner of the OpenAI Agents SDK', () => {
  it('recalls an earlier run, also through another session instance', async () => {
    const { client, model, session, agent, runner } = await setUp([
      [assistantMessage('Noted.')],
      [assistantMessage('Lisbon.')],
    ]);
    await runner.run(agent, 'I live in Lisbon.', { session });
    const conversationId = await session.getSessionId();
    const again = new OpenAIConversationsSession<AgentInputItem>({ client, conversationId });
    await runner.run(agent, 'Where do I live?', { session: again });
    const input = model.calls[1]?.request.input as AgentInputItem[];
    expect(outline(input)).toEqual(['user: I live in Lisbon.', 'assistant: Noted.', 'user: Where do I live?']);
    expect(input.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
    expect(outline(await session.getItems())).toHaveLength(4);
  });

  it('stores the same items when streaming', async () => {
    const { session, agent, runner } = await setUp([[assistantMessage('Noted.')]]);
    const result = await runner.run(agent, 'I live in Lisbon.', { session, stream: true });
    await result.completed;
    expect(outline(await session.getItems())).toEqual(['user: I live in Lisbon.', 'assistant: Noted.']);
  });

  it('is interrupted for an approval and resumed in another process', async () => {
    const { emulator, session, agent, runner } = await setUp([
      [functionCall('refund', { order: 'A-1' }, { callId: 'c1' })],
    ]);
    const interrupted = await runner.run(agent, 'Refund A-1.', { session });
    expect(interrupted.interruptions).toHaveLength(1);
    const { baseURL, apiKey } = emulator;
    const args = [baseURL, apiKey, await session.getSessionId(), interrupted.state.toString()] as const;
    // By day in this process, with nothing else of it, because a process loads the SDK.
    if (SHARE < 1) expect(await resumed(...args)).toBe('Done.');
    else {
      const resume = join(import.meta.dirname, 'programs/resume-run.ts');
      expect(await runProgram(resume, [...args])).toMatchObject({ status: 0, stdout: 'Done.\n' });
    }
    expect(outline(await session.getItems())).toEqual([
      'user: Refund A-1.',
      'function_call',
      'refund gave "Refunded A-1."',
      'assistant: Done.',
    ]);
  });

  it('reads more than 1,000 items, page by page', async () => {
    const { emulator, model, session, agent, runner } = await setUp([[assistantMessage('Many.')]]);
    await session.addItems(
      Array.from({ length: 1_010 }, (_, index) => ({ type: 'message', role: 'user', content: `note ${index}` })),
    );
    await runner.run(agent, 'How many notes?', { session });
    const input = model.calls[0]?.request.input as AgentInputItem[];
    expect(outline(input)).toEqual([
      ...Array.from({ length: 1_010 }, (_, index) => `user: note ${index}`),
      'user: How many notes?',
    ]);
    expect(count(emulator, 'GET', /\/items$/)).toBeGreaterThanOrEqual(11);
  });

  it('creates one conversation for concurrent runs', async () => {
    const { emulator, session, agent, runner } = await setUp(
      Array.from({ length: 8 }, () => [assistantMessage('Noted.')]),
    );
    await Promise.all(Array.from({ length: 8 }, (_, index) => runner.run(agent, `Note ${index}.`, { session })));
    expect(count(emulator, 'POST', /\/conversations$/)).toBe(1);
    const found = outline(await session.getItems());
    expect(found).toHaveLength(16);
    // Each run is one batch, which is not interleaved.
    expect(found.filter((_, index) => index % 2 === 0).every((text) => text.startsWith('user: Note'))).toBe(true);
  });

  it('sends valid input to the Responses API, with reasoning and calls of earlier runs', async () => {
    const { emulator, client } = await emulated();
    const outputs = [
      [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'A tool knows.' }] },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'clock', arguments: '{}', status: 'completed' },
      ],
      [message('It is noon.')],
      [message('Noon.')],
    ];
    emulator.answerWith(() => ({ output: outputs.shift() ?? [] }));
    const clock = tool({ name: 'clock', description: 'The time.', parameters: z.object({}), execute: () => 'Noon.' });
    const agent = new Agent({ name: 'Clerk', model: new OpenAIResponsesModel(client, 'gpt-5-mini'), tools: [clock] });
    const session = new OpenAIConversationsSession<AgentInputItem>({ client });
    const runner = new Runner();
    await runner.run(agent, 'What time is it?', { session });
    const { finalOutput } = await runner.run(agent, 'Say it again.', { session });
    expect(finalOutput).toBe('Noon.');
    expect(outline(await session.getItems())).toEqual([
      'user: What time is it?',
      'reasoning',
      'function_call',
      'clock gave "Noon."',
      'assistant: It is noon.',
      'user: Say it again.',
      'assistant: Noon.',
    ]);
  });
});

function message(text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
}
