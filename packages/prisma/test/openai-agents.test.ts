import { type DurableSession, encrypted, recentItems, uuidv7 } from '@keepsake/core';
import {
  Agent,
  type AgentInputItem,
  type AgentOutputItem,
  type FunctionCallItem,
  isSessionHistoryRewriteAwareSession,
  isSessionHistoryTransactionAwareSession,
  MemorySession,
  OutputGuardrailTripwireTriggered,
  RunState,
  run,
  type Session,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { assistantMessage, functionCall, modelError, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PrismaSession } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import { inOtherProcesses } from './programs/in-other-processes.ts';

type Items = AgentInputItem[];

const shared = sharedDatabase('PostgreSQL');
const keys = { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } };
let sessionId: string;

beforeAll(() => setTracingDisabled(true));
beforeEach(() => {
  sessionId = uuidv7();
});

const prismaSession = () => new PrismaSession<AgentInputItem>({ prisma: shared.database.prisma, sessionId });
const both: [string, () => DurableSession<AgentInputItem>][] = [
  ['PrismaSession', prismaSession],
  ['encrypted(PrismaSession)', () => encrypted(prismaSession(), keys)],
];

const asks = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content });
const call = (callId: string, order: string): FunctionCallItem =>
  functionCall('refund', { order }, { callId, providerData: { signature: `of ${callId}` } });
const result = (callId: string, text: string): AgentInputItem => ({
  type: 'function_call_result',
  name: 'refund',
  callId,
  status: 'completed',
  output: { type: 'text', text },
});

/** Items as they are stored: fields that are undefined are not there. */
const stored = (...items: Items): Items => JSON.parse(JSON.stringify(items)) as Items;

/** A call as the runner stores it: without the id of the item. */
function storedCall(callId: string, order: string): AgentInputItem {
  const { id: _, ...item } = call(callId, order);
  return item;
}

/** An agent with a tool that a human has to approve. */
function refundAgent(model: ScriptedModel) {
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order.',
    parameters: z.object({ order: z.string() }),
    needsApproval: true,
    execute: ({ order }) => `Refunded ${order}.`,
  });
  return new Agent({ name: 'Shop', model, tools: [refund] });
}

/** The session, but the answer to the n-th call of the method gets lost. */
function losesAnswer<T extends object>(session: T, method: keyof T, nth = 1): T {
  let calls = 0;
  return new Proxy(session, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const answer: unknown = await value.apply(target, args);
        if (name === method && ++calls === nth) throw new Error('the answer got lost');
        return answer;
      };
    },
  });
}

describe('two processes, one PrismaSession, the runner of @openai/agents', () => {
  const elsewhere = async (...turns: { input: string; answer: string }[]) => {
    const common = { url: shared.database.url, sessionId };
    return inOtherProcesses(
      'run-agent.ts',
      turns.map((turn) => [JSON.stringify({ ...common, ...turn })]),
    );
  };

  it('gives the second run what the first has stored', async () => {
    await elsewhere({ input: 'My name is Ada.', answer: 'Hello Ada.' });
    const [[seen = ''] = []] = await elsewhere({ input: 'Who am I?', answer: 'Ada.' });
    const history = stored(asks('My name is Ada.'), assistantMessage('Hello Ada.'), asks('Who am I?'));
    expect(JSON.parse(seen)).toEqual(history);
    expect(await prismaSession().getItems()).toEqual([...history, ...stored(assistantMessage('Ada.'))]);
  });

  it('keeps the items of each run together when runs of both go on at once', async () => {
    await elsewhere(...['a', 'b'].map((name) => ({ input: name, answer: `to ${name}` })));
    const history = await prismaSession().getItems();
    const order = JSON.stringify(history[0]).includes('"a"') ? ['a', 'b'] : ['b', 'a'];
    expect(history).toEqual(order.flatMap((name) => stored(asks(name), assistantMessage(`to ${name}`))));
  });
});

describe.each(both)('%s under the runner of @openai/agents', (_name, open) => {
  it('is what the runner looks for', () => {
    expect(isSessionHistoryTransactionAwareSession(open())).toBe(true);
    expect(isSessionHistoryRewriteAwareSession(open())).toBe(true);
  });

  it('gives a run the whole history, item for item, and takes what the run adds', async () => {
    const reasoningOf = (turn: number): AgentOutputItem & AgentInputItem => ({
      type: 'reasoning',
      id: `rs_${turn}`,
      content: [{ type: 'input_text', text: 'It has ears.\0\u2028\ud800 😀' }],
      providerData: { encrypted_content: 'gAAAAAB', summary: [] },
    });
    const model = new ScriptedModel();
    const agent = new Agent({ name: 'Shop', model });
    const expected: Items = [];
    for (let turn = 0; turn < 20; turn++) {
      const answer = assistantMessage(`Answer ${turn}`, { id: `msg_${turn}` });
      const reasoning = reasoningOf(turn);
      model.enqueue([reasoning, answer]);
      await run(agent, `Question ${turn}`, { session: open() });
      expect(model.lastCall?.request.input).toEqual([...expected, asks(`Question ${turn}`)]);
      expected.push(...stored(asks(`Question ${turn}`), reasoning, answer));
    }
    expect(await open().getItems()).toEqual(expected);
  });

  it('holds the input, then the outputs of a streamed run that a human has to approve', async () => {
    const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
    const asked = await run(agent, 'Refund A1', { session: open(), stream: true });
    await asked.completed;
    expect(await open().getItems()).toEqual(stored(asks('Refund A1'), storedCall('c1', 'A1')));
    const restored = await RunState.fromString<undefined, typeof agent>(agent, asked.state.toString());
    for (const item of restored.getInterruptions()) restored.approve(item);
    const resumed = await run(agent, restored, { session: open(), stream: true });
    await resumed.completed;
    expect(await open().getItems()).toEqual(
      stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
    );
  });

  it('holds the input of a streamed run that failed, once', async () => {
    const agent = new Agent({ name: 'Shop', model: new ScriptedModel([modelError(new Error('overloaded'))]) });
    const streamed = await run(agent, 'Hello', { session: open(), stream: true });
    await expect(streamed.completed).rejects.toThrow('overloaded');
    expect(await open().getItems()).toEqual([asks('Hello')]);
  });

  it('keeps the items of each run together when runs go on at once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `run ${index}`);
    const { promise: allAsked, resolve } = Promise.withResolvers<void>();
    let waiting = names.length;
    await Promise.all(
      names.map((name) => {
        const answer = modelResponder(async () => {
          if (--waiting === 0) resolve();
          await allAsked;
          return [assistantMessage(`to ${name}`)];
        });
        return run(new Agent({ name: 'Shop', model: new ScriptedModel([answer]) }), name, { session: open() });
      }),
    );
    const history = await open().getItems();
    const asked = history.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content as string] : []));
    expect(asked.toSorted()).toEqual(names.toSorted());
    expect(history).toEqual(asked.flatMap((name) => stored(asks(name), assistantMessage(`to ${name}`))));
  });

  it('lets a user correct what was said last, and gives windows of whole turns', async () => {
    const model = new ScriptedModel([
      [assistantMessage('One')],
      [assistantMessage('Two')],
      [assistantMessage('Three')],
    ]);
    const agent = new Agent({ name: 'Shop', model });
    await run(agent, 'Capital of Norge?', { session: open() });
    expect(await open().popItem()).toEqual(assistantMessage('One'));
    expect(await open().popItem()).toEqual(asks('Capital of Norge?'));
    await run(agent, 'Capital of Norway?', { session: open() });
    const session = open();
    await run(agent, 'And of Sweden?', {
      session,
      sessionInputCallback: async (_, input) => [...(await recentItems(session, { maxTurns: 1 })), ...input],
    });
    const turn = stored(asks('Capital of Norway?'), assistantMessage('Two'), asks('And of Sweden?'));
    expect(model.lastCall?.request.input).toEqual(turn);
    expect(await open().getItems()).toEqual([...turn, ...stored(assistantMessage('Three'))]);
  });

  it('takes the compaction that a model makes for the whole history', async () => {
    const compaction: AgentOutputItem & AgentInputItem = {
      type: 'compaction',
      id: 'c_1',
      encrypted_content: 'gAAAAAB',
    };
    const model = new ScriptedModel([
      [assistantMessage('One')],
      [compaction, assistantMessage('Two')],
      [assistantMessage('Three')],
    ]);
    const agent = new Agent({ name: 'Shop', model });
    for (const input of ['1', '2', '3']) await run(agent, input, { session: open() });
    expect(await open().getItems()).toEqual(
      stored(compaction, assistantMessage('Two'), asks('3'), assistantMessage('Three')),
    );
  });

  it('rewrites calls as the own session of the SDK does', async () => {
    const items = stored(asks('Refund A1'), storedCall('c1', 'A1'), storedCall('c2', 'B2'), storedCall('c1', 'A1'));
    const replacement = stored(call('c1', 'A2'))[0] as FunctionCallItem;
    const mutations = ['c1', 'c9'].map((callId) => ({ type: 'replace_function_call' as const, callId, replacement }));
    const theirs = new MemorySession({ initialItems: items });
    await theirs.applyHistoryMutations({ mutations });
    await open().addItems(items);
    await open().applyHistoryMutations({ mutations });
    expect(await open().getItems()).toEqual(await theirs.getItems());
  });

  it.each([1, 2, 3])(
    'ends a resumed run as the own session of the SDK where an answer gets lost (add %i)',
    async (nth) => {
      const history = async (session: Session) => {
        const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
        const failing = losesAnswer(session, 'addItems', nth);
        const outcomes: string[] = [];
        const attempt = async (input: string | RunState<undefined, typeof agent>) => {
          try {
            const result = await run(agent, input, { session: failing });
            for (const item of result.interruptions) result.state.approve(item);
            outcomes.push(result.interruptions.length > 0 ? 'interrupted' : String(result.finalOutput));
            return result.state;
          } catch (error) {
            outcomes.push((error as Error).message);
            return input;
          }
        };
        let next = await attempt('Refund A1');
        while (outcomes.at(-1) !== 'Done.' && outcomes.length < 5) next = await attempt(next);
        return { outcomes, items: await session.getItems() };
      };
      const ours = await history(open());
      expect(ours.outcomes).toContain('the answer got lost');
      expect(ours).toEqual(await history(new MemorySession()));
    },
  );

  it.each(['applyHistoryTransaction', undefined] as const)(
    'replaces a blocked output once it is accepted (lost: %s)',
    async (lost) => {
      const lookup = tool({
        name: 'refund',
        description: 'Finds an order.',
        parameters: z.object({ order: z.string() }),
        execute: ({ order }) => `${order} is on its way.`,
      });
      let blocks = true;
      const agent = new Agent({
        name: 'Shop',
        model: new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Soon.')]]),
        tools: [lookup],
        outputGuardrails: [{ name: 'tone', execute: async () => ({ tripwireTriggered: blocks, outputInfo: {} }) }],
      });
      const session = lost ? losesAnswer(open(), lost) : open();
      const refusal = await run(agent, 'Where is A1?', { session }).catch((error: unknown) => error);
      if (!(refusal instanceof OutputGuardrailTripwireTriggered) || !refusal.state) throw refusal;
      const kept = stored(asks('Where is A1?'), storedCall('c1', 'A1'), result('c1', 'A1 is on its way.'));
      expect(await open().getItems()).toEqual(kept);

      // With the same operation id again, where the answer got lost.
      blocks = false;
      const accepted = await run(agent, refusal.state as RunState<unknown, typeof agent>, { session });
      expect(accepted.finalOutput).toBe('Soon.');
      expect(await open().getItems()).toEqual([...kept, ...stored(assistantMessage('Soon.'))]);
    },
  );
});
