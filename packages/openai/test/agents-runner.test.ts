import {
  Agent,
  type AgentInputItem,
  OpenAIResponsesModel,
  Runner,
  RunState,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OpenAIConversationsSession } from '../src/index.ts';
import { count, emulated } from './emulated.ts';

beforeAll(() => setTracingDisabled(true));

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: z.object({ order: z.string() }),
  needsApproval: true,
  execute: ({ order }) => `Refunded ${order}.`,
});

/** What stands in a session, in short. */
function outline(items: readonly AgentInputItem[]): string[] {
  return items.map((item) => {
    if (item.type === 'message' || item.type === undefined)
      return `${(item as { role: string }).role}: ${textOf(item)}`;
    return item.type === 'function_call_result' ? `${item.name} gave ${JSON.stringify(item.output)}` : `${item.type}`;
  });
}

function textOf(item: object): string {
  const { content } = item as { content: string | { text?: string }[] };
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

async function setUp(...steps: ConstructorParameters<typeof ScriptedModel>[0] extends infer Steps ? [Steps] : never) {
  const { emulator, client } = await emulated();
  const model = new ScriptedModel(steps[0]);
  const session = new OpenAIConversationsSession<AgentInputItem>({ client });
  const agent = new Agent({ name: 'Clerk', model, tools: [refund] });
  return { emulator, client, model, session, agent, runner: new Runner() };
}

describe('the runner of the OpenAI Agents SDK', () => {
  it('knows in the second run what the first was told, also through another instance', async () => {
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

  it('streams, and stores the same', async () => {
    const { session, agent, runner } = await setUp([[assistantMessage('Noted.')]]);
    const result = await runner.run(agent, 'I live in Lisbon.', { session, stream: true });
    await result.completed;
    expect(outline(await session.getItems())).toEqual(['user: I live in Lisbon.', 'assistant: Noted.']);
  });

  it('is interrupted for an approval, and goes on in another process', async () => {
    const { client, session, agent, runner } = await setUp([
      [functionCall('refund', { order: 'A-1' }, { callId: 'c1' })],
      [assistantMessage('Done.')],
    ]);
    const interrupted = await runner.run(agent, 'Refund A-1.', { session });
    expect(interrupted.interruptions).toHaveLength(1);
    const state = await RunState.fromString(agent, interrupted.state.toString());
    state.approve(state.getInterruptions()[0] as never);
    const conversationId = await session.getSessionId();
    const again = new OpenAIConversationsSession<AgentInputItem>({ client, conversationId });
    const result = await runner.run(agent, state, { session: again });
    expect(result.finalOutput).toBe('Done.');
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

  it('makes one conversation, however many runs begin at once', async () => {
    const { emulator, session, agent, runner } = await setUp(
      Array.from({ length: 8 }, () => [assistantMessage('Noted.')]),
    );
    await Promise.all(Array.from({ length: 8 }, (_, index) => runner.run(agent, `Note ${index}.`, { session })));
    expect(count(emulator, 'POST', /\/conversations$/)).toBe(1);
    const found = outline(await session.getItems());
    expect(found).toHaveLength(16);
    // Each run is one batch, which stays together.
    expect(found.filter((_, index) => index % 2 === 0).every((text) => text.startsWith('user: Note'))).toBe(true);
  });

  it('sends to the Responses API what it takes, with reasoning and calls of earlier runs', async () => {
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
