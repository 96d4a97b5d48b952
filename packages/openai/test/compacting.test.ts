import { describeSession } from '@keepsake/conformance';
import type { DurableSession, JsonObject } from '@keepsake/core';
import { InMemorySession } from '@keepsake/in-memory';
import { byDay } from '@keepsake/testing/share';
import { Agent, type AgentInputItem, Runner, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { compacting, OpenAIConversationsSession } from '../src/index.ts';
import { clientOf, count, emulated } from './emulated.ts';

beforeAll(() => setTracingDisabled(true));

const say = (text: string): JsonObject => ({ type: 'message', role: 'user', content: text });
const answer = (text: string): JsonObject => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});
const turns = (count: number, prefix = 'turn') =>
  Array.from({ length: count }, (_, index) => [say(`${prefix} ${index}`), answer(`told ${index}`)]).flat();

/** The items of a session, abbreviated. */
async function outline(session: Pick<DurableSession, 'getItems'>): Promise<string[]> {
  return (await session.getItems()).map((item) => {
    if (item.type !== 'message') return String(item.type);
    return typeof item.content === 'string' ? item.content : ((item.content as { text: string }[])[0]?.text ?? '');
  });
}

async function setUp({ threshold = 4, maxRetries = 0 } = {}) {
  const { emulator } = await emulated();
  const client = clientOf(emulator, { maxRetries });
  const [inner, archive] = [new InMemorySession(), new InMemorySession()];
  const options = { client, model: 'gpt-5-mini', threshold, archive };
  return { emulator, client, inner, archive, options, session: compacting(inner, options) };
}

describe('a compacting session', () => {
  it('keeps the user messages and one item for the rest, and archives the replaced items', async () => {
    const { session, archive } = await setUp();
    await session.addItems(turns(3));
    const { usage } = (await session.runCompaction()) ?? {};
    expect(usage).toMatchObject({ endpoint: 'responses.compact', inputTokens: expect.any(Number) });
    expect(await outline(session)).toEqual(['turn 0', 'turn 1', 'turn 2', 'compaction']);
    expect(await archive.getItems()).toEqual(turns(3));
  });

  it('compacts again when the threshold is reached, and archives the whole conversation', async () => {
    const { emulator, session, archive } = await setUp();
    await session.addItems(turns(2, 'old'));
    await session.runCompaction();
    await session.addItems(turns(1, 'new'));
    expect(await session.runCompaction()).toBe(null);
    await session.addItems(turns(1, 'newer'));
    await session.runCompaction();
    expect(await outline(session)).toEqual(['old 0', 'old 1', 'new 0', 'newer 0', 'compaction']);
    expect(await archive.getItems()).toEqual([...turns(2, 'old'), ...turns(1, 'new'), ...turns(1, 'newer')]);
    expect(count(emulator, 'POST', /compact$/)).toBe(2);
  });

  it('archives what is before a compaction that a model made on its own', async () => {
    const { session, archive } = await setUp();
    const own = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' };
    const history = [...turns(2), say('And?'), own, answer('More.')];
    await session.addItems(history);
    await session.runCompaction();
    expect(await archive.getItems()).toEqual(history);
    await session.addItems(turns(2, 'new'));
    await session.runCompaction();
    expect(await archive.getItems()).toEqual([...history, ...turns(2, 'new')]);
  });

  it('does nothing below its threshold, unless forced', async () => {
    const { emulator, session } = await setUp({ threshold: 10 });
    expect(await session.runCompaction({ force: true })).toBe(null);
    await session.addItems(turns(2));
    expect(await session.runCompaction()).toBe(null);
    expect(emulator.requests).toEqual([]);
    expect(await session.runCompaction({ force: true })).not.toBe(null);
    expect(await outline(session)).toEqual(['turn 0', 'turn 1', 'compaction']);
  });

  it('does not compact while a call has no result', async () => {
    const { emulator, session } = await setUp({ threshold: 1 });
    const call = { type: 'function_call', callId: 'c1', name: 'f', status: 'completed', arguments: '{}' };
    await session.addItems([say('Refund A-1.'), call]);
    expect(await session.runCompaction()).toBe(null);
    await session.addItems([
      { type: 'function_call_result', callId: 'c1', name: 'f', status: 'completed', output: 'x' },
    ]);
    expect(await session.runCompaction()).not.toBe(null);
    expect(count(emulator, 'POST', /compact$/)).toBe(1);
  });

  const approval = {
    type: 'hosted_tool_call',
    id: 'mcpr_1',
    name: 'mcp_approval_request',
    providerData: {
      ...{ type: 'mcp_approval_request', id: 'mcpr_1', name: 'mail', arguments: '{}', server_label: 'post' },
    },
  };
  const call = { type: 'function_call', callId: 'c1', name: 'f', status: 'completed', arguments: '{}' };
  const result = { type: 'function_call_result', callId: 'c1', name: 'f', status: 'completed', output: 'x' };

  it.each<[string, JsonObject[]]>([
    ['an approval is pending', [approval]],
    ['a program runs', [{ type: 'program', id: 'prog_1', callId: 'p1', code: 'f()', fingerprint: '' }]],
    ['a call whose id was used before has no result', [call, result, call]],
  ])('does not compact while %s', async (_, items) => {
    const { emulator, session } = await setUp({ threshold: 1 });
    await session.addItems([say('Write to Bob.'), ...items]);
    expect(await session.runCompaction()).toBe(null);
    expect(emulator.requests).toEqual([]);
  });

  it('sends an approval request with the id that its answer names', async () => {
    const { client, inner, options } = await setUp({ threshold: 1 });
    const inputs: unknown[] = [];
    const responses = {
      compact: async (...args: Parameters<typeof client.responses.compact>) => {
        inputs.push(args[0].input);
        return client.responses.compact(...args);
      },
    };
    const session = compacting(inner, { ...options, client: { responses } });
    const answered = { approve: true, approval_request_id: 'mcpr_1' };
    const response = { type: 'hosted_tool_call', name: 'mcp_approval_response', providerData: answered };
    await session.addItems([say('Write to Bob.'), approval, response]);
    expect(await session.runCompaction()).not.toBe(null);
    expect(inputs).toEqual([
      expect.arrayContaining([expect.objectContaining({ type: 'mcp_approval_request', id: 'mcpr_1' })]),
    ]);
  });

  it('sends reasoning with its answer only, and does not compact while an answer may follow', async () => {
    const { session, inner, archive } = await setUp({ threshold: 1 });
    const thought = (id: string) => ({ type: 'reasoning', id, content: [] });
    const history = [say('Hi.'), thought('rs_1'), { ...answer('Hello.'), id: 'msg_1' }, say('And?'), thought('rs_2')];
    await session.addItems(history);
    expect(await session.runCompaction()).toBe(null);
    await session.addItems([say('Well?')]);
    expect(await session.runCompaction()).not.toBe(null);
    expect(await outline(inner)).toEqual(['Hi.', 'And?', 'Well?', 'compaction']);
    expect(await archive.getItems()).toEqual([...history, say('Well?')]);
  });

  it('loses no items that are added during a compaction, even if the swap must be retried', async () => {
    const { emulator, inner, session, archive } = await setUp();
    await session.addItems(turns(2, 'old'));
    emulator.faults.delay(50);
    const compaction = session.runCompaction();
    await inner.addItems(turns(1, 'meanwhile'));
    await compaction;
    expect(await outline(session)).toEqual(['old 0', 'old 1', 'compaction', 'meanwhile 0', 'told 0']);
    expect(await archive.getItems()).toEqual(turns(2, 'old'));
  });

  it('loses no items of writers that never pause', async () => {
    const { inner, session, archive } = await setUp();
    await session.addItems(turns(2, 'old'));
    const written = 200;
    let running = true;
    const write = async () => {
      for (let index = 0; index < written; index++) {
        await inner.addItems([say(`live ${index}`)]);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      running = false;
    };
    const compact = async () => {
      while (running) await session.runCompaction({ force: true });
    };
    await Promise.all([write(), compact()]);
    const live = (texts: string[]) => new Set(texts.filter((text) => text.startsWith('live')));
    expect(live([...(await outline(archive)), ...(await outline(inner))]).size).toBe(written);
    // User messages also stay in the session, in order.
    const order = (await outline(inner)).filter((text) => text.startsWith('live'));
    expect(order).toEqual(Array.from({ length: written }, (_, index) => `live ${index}`));
  });

  it('does not change a history that was cut during the compaction', async () => {
    const { emulator, inner, session } = await setUp();
    await session.addItems(turns(3));
    emulator.faults.delay(50);
    const compaction = session.runCompaction();
    await inner.popItem();
    expect(await compaction).toBe(null);
    expect(await inner.getItems()).toEqual(turns(3).slice(0, -1));
  });

  it('compacts once for concurrent calls', async () => {
    const { emulator, session } = await setUp();
    await session.addItems(turns(3));
    await Promise.all(Array.from({ length: 8 }, () => session.runCompaction()));
    expect(count(emulator, 'POST', /compact$/)).toBe(1);
  });

  it('archives no item twice after a failure in between', async () => {
    const { client, inner, archive, options } = await setUp();
    const failing = compacting(
      Object.assign(Object.create(inner) as InMemorySession, {
        getItems: (limit?: number) => inner.getItems(limit),
        getSessionId: () => inner.getSessionId(),
        applyHistoryMutations: async () => undefined,
        applyHistoryTransaction: () => Promise.reject(new Error('the disk is full')),
      }),
      { ...options, client },
    );
    await inner.addItems(turns(2));
    await expect(failing.runCompaction()).rejects.toThrow('the disk is full');
    expect(await inner.getItems()).toEqual(turns(2));
    await inner.addItems(turns(1, 'later'));
    await compacting(inner, options).runCompaction();
    expect(await archive.getItems()).toEqual([...turns(2), ...turns(1, 'later')]);
  });

  it('changes nothing if the service fails', async () => {
    const { emulator, session, archive } = await setUp();
    await session.addItems(turns(3));
    emulator.faults.throttle();
    await expect(session.runCompaction()).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    emulator.faults.heal();
    for (const place of ['before', 'mid', 'after'] as const) {
      emulator.faults.cut(place, { times: 1 });
      await expect(session.runCompaction()).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    }
    expect(await session.getItems()).toEqual(turns(3));
    expect(await archive.getItems()).toEqual([]);
    expect(await session.runCompaction()).not.toBe(null);
  });

  it('refuses sessions without transactions and invalid options', async () => {
    const { client, inner, options } = await setUp();
    const plain = new OpenAIConversationsSession({ client }) as unknown as DurableSession;
    expect(() => compacting(plain, options)).toThrow(/`session` must support transactions/);
    const bad = [
      { threshold: 0 },
      { threshold: 1.5 },
      { model: '' },
      { archive: inner },
      { archive: plain },
      { client: {} },
    ];
    for (const one of bad) {
      expect(() => compacting(inner, { ...options, ...one } as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
    }
  });

  it('is compacted after a turn by the runner of the OpenAI Agents SDK, which counts the tokens', async () => {
    const { options } = await setUp();
    const session = compacting(new InMemorySession<AgentInputItem>(), { ...options, archive: new InMemorySession() });
    const model = new ScriptedModel([[assistantMessage('Noted.')], [assistantMessage('Noted, too.')]]);
    const agent = new Agent({ name: 'Clerk', model });
    const runner = new Runner();
    await runner.run(agent, 'I live in Lisbon.', { session });
    const { state } = await runner.run(agent, 'I work in Porto.', { session });
    expect((await session.getItems()).map(({ type }) => type)).toEqual(['message', 'message', 'compaction']);
    expect(JSON.stringify(state.usage)).toContain('responses.compact');
  });
});

describeSession({
  name: 'compacting(InMemorySession)',
  // The items are stored by the session inside, as they are. Every night, all concerns.
  ...byDay({
    concerns: [
      ...[
        'identity',
        'ids',
        'reading',
        'appending',
        'popping',
        'clearing',
        'transactions',
        'operation ids',
        'mutations',
      ],
      ...['compaction', 'windows', 'concurrent callers', 'concurrent changes', 'invalid items', 'JSON values'],
    ],
  }),
  describe,
  it,
  capabilities: { shared: false, keepsIdOnClear: true, anyItem: true, anyId: true },
  harness() {
    const client = { responses: { compact: () => expect.fail('unexpected request') } };
    return {
      open: (sessionId) =>
        compacting(new InMemorySession(sessionId === undefined ? {} : { sessionId }), {
          client,
          model: 'gpt-5-mini',
          threshold: 1,
          archive: new InMemorySession(),
        }),
    };
  },
});
