import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DurableSession, encrypted, recentItems } from '@keepsake/core';
import {
  Agent,
  type AgentInputItem,
  type AgentOutputItem,
  type FunctionCallItem,
  isSessionHistoryRewriteAwareSession,
  isSessionHistoryTransactionAwareSession,
  MemorySession,
  type Model,
  OutputGuardrailTripwireTriggered,
  RunState,
  run,
  type Session,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { assistantMessage, functionCall, modelError, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FileSession } from '../src/index.ts';
import { losesAnswer } from './loses-answer.ts';
import { inAnotherProcess } from './programs/in-another-process.ts';
import { refundAgent } from './programs/refund-agent.ts';
import type { RunReport, RunRequest } from './programs/run-agent.ts';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

type Items = AgentInputItem[];

const sessionId = 'chat';
const keys = { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } };
let directory: TemporaryDirectory;

beforeAll(() => setTracingDisabled(true));
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const fileSession = () => new FileSession<AgentInputItem>({ directory: directory.path, sessionId });
const encryptedSession = () => encrypted(fileSession(), keys);
const both: [string, () => DurableSession<AgentInputItem>][] = [
  ['FileSession', fileSession],
  ['encrypted(FileSession)', encryptedSession],
];

const asks = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content });
const plainAgent = (model: Model) => new Agent({ name: 'Shop', model });

/** Items as they are stored: fields that are undefined are not there. */
const stored = (...items: Items): Items => JSON.parse(JSON.stringify(items)) as Items;

const call = (callId: string, order: string): FunctionCallItem =>
  functionCall('refund', { order }, { callId, providerData: { signature: `of ${callId}` } });

/** A call as the runner stores it: without the id of the item. */
const storedCall = (callId: string, order: string): AgentInputItem => {
  const { id: _, ...item } = call(callId, order);
  return item;
};

const result = (callId: string, text: string, name = 'refund'): AgentInputItem => ({
  type: 'function_call_result',
  name,
  callId,
  status: 'completed',
  output: { type: 'text', text },
});

async function runElsewhere(request: Pick<RunRequest, 'input' | 'script'>): Promise<RunReport> {
  const all: RunRequest = { directory: directory.path, sessionId, ...request };
  return JSON.parse(await inAnotherProcess('run-agent.ts', JSON.stringify(all))) as RunReport;
}

describe('two processes, one FileSession, the runner of @openai/agents', () => {
  it('gives the second run what the first has stored, item for item', async () => {
    const question: AgentInputItem = {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?\0\u2028\ud800 😀' },
        {
          type: 'input_image',
          image: `data:image/png;base64,${'iVBORw0KGgo='.repeat(20)}`,
          providerData: { detail: 'low' },
        },
      ],
      providerData: { trace: ['a', null, { b: 1.5 }] },
    };
    const reasoning: AgentOutputItem & AgentInputItem = {
      type: 'reasoning',
      id: 'rs_68af',
      content: [{ type: 'input_text', text: 'It has ears.' }],
      rawContent: [{ type: 'reasoning_text', text: 'Ears, whiskers.' }],
      providerData: { encrypted_content: 'gAAAAAB', summary: [] },
    };
    const answer = assistantMessage('A cat.', {
      id: 'msg_68af',
      providerData: { annotations: [{ url: 'https://a.b' }] },
    });

    const first = await runElsewhere({
      input: [question],
      script: [[reasoning, answer]],
    });
    const second = await runElsewhere({ input: 'Sure?', script: [[assistantMessage('Yes.')]] });

    expect(first.modelInputs).toEqual([[question]]);
    expect(first.output).toBe('A cat.');
    expect(second.modelInputs).toEqual([stored(question, reasoning, answer, asks('Sure?'))]);
    // Not only equal: the very same text, so that what a provider has cached of a prompt fits.
    const [input] = second.modelInputs as [Items];
    expect(JSON.stringify(input.slice(0, 3))).toBe(JSON.stringify([question, reasoning, answer]));
    expect(await fileSession().getItems()).toEqual(
      stored(question, reasoning, answer, asks('Sure?'), assistantMessage('Yes.')),
    );
  });

  it('approves in another process what a first one was asked for', async () => {
    const first = await runElsewhere({ input: 'Refund A1', script: [[call('c1', 'A1')]] });
    expect(first).toMatchObject({ output: null, waiting: ['c1'], refunded: [] });
    expect(await fileSession().getItems()).toEqual(stored(asks('Refund A1'), storedCall('c1', 'A1')));

    const input = { state: first.state, decisions: { c1: 'approve' } } as const;
    const second = await runElsewhere({ input, script: [[assistantMessage('Done.')]] });
    expect(second).toMatchObject({ output: 'Done.', waiting: [], refunded: ['A1'] });
    expect(await fileSession().getItems()).toEqual(
      stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
    );

    const third = await runElsewhere({ input: 'Thanks', script: [[assistantMessage('Welcome.')]] });
    expect(third.modelInputs).toEqual([
      stored(
        asks('Refund A1'),
        storedCall('c1', 'A1'),
        result('c1', 'Refunded A1.'),
        assistantMessage('Done.'),
        asks('Thanks'),
      ),
    ]);
  });

  it('takes a run through three processes: two calls, one approved, then the other rejected', async () => {
    const first = await runElsewhere({ input: 'Refund both', script: [[call('c1', 'A1'), call('c2', 'B2')]] });
    expect(first.waiting).toEqual(['c1', 'c2']);

    const second = await runElsewhere({ input: { state: first.state, decisions: { c1: 'approve' } }, script: [] });
    expect(second).toMatchObject({ output: null, waiting: ['c2'], refunded: ['A1'] });

    const input = { state: second.state, decisions: { c2: 'reject' } } as const;
    const third = await runElsewhere({ input, script: [[assistantMessage('Only A1.')]] });
    expect(third).toMatchObject({ output: 'Only A1.', waiting: [], refunded: [] });

    const history = await fileSession().getItems();
    const rejection = history.find((item) => item.type === 'function_call_result' && item.callId === 'c2');
    expect(rejection).toMatchObject({ output: { type: 'text', text: expect.stringContaining('not approved') } });
    expect(history).toEqual([
      ...stored(asks('Refund both'), storedCall('c1', 'A1'), storedCall('c2', 'B2')),
      result('c1', 'Refunded A1.'),
      rejection,
      ...stored(assistantMessage('Only A1.')),
    ]);
  });

  it('keeps the items of each run together when runs of both go on at once', async () => {
    const names = (process: string) => [1, 2, 3, 4].map((number) => `${process}${number}`);
    await Promise.all(
      ['a', 'b'].map((name) => inAnotherProcess('run-many.ts', directory.path, sessionId, ...names(name))),
    );
    const history = await fileSession().getItems();
    const asked = history.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content as string] : []));
    expect(asked.toSorted()).toEqual([...names('a'), ...names('b')]);
    expect(history).toEqual(asked.flatMap((name) => stored(asks(name), assistantMessage(`Answer to ${name}`))));
  });
});

describe.each(both)('%s under the runner of @openai/agents', (_name, open) => {
  it('is what the runner looks for', () => {
    expect(isSessionHistoryTransactionAwareSession(open())).toBe(true);
    expect(isSessionHistoryRewriteAwareSession(open())).toBe(true);
  });

  it('gives a run the whole history, and takes what the run adds', async () => {
    const model = new ScriptedModel();
    const agent = plainAgent(model);
    const expected: Items = [];
    for (let turn = 0; turn < 30; turn++) {
      model.enqueue([assistantMessage(`Answer ${turn}`, { id: `msg_${turn}` })]);
      await run(agent, `Question ${turn}`, { session: open() });
      expect(model.lastCall?.request.input).toEqual([...expected, asks(`Question ${turn}`)]);
      expected.push(...stored(asks(`Question ${turn}`), assistantMessage(`Answer ${turn}`, { id: `msg_${turn}` })));
    }
    expect(await open().getItems()).toEqual(expected);
  });

  it('holds the input, then the outputs of a streamed run', async () => {
    const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
    const session = open();
    const asked = await run(agent, 'Refund A1', { session, stream: true });
    await asked.completed;
    expect(await open().getItems()).toEqual(stored(asks('Refund A1'), storedCall('c1', 'A1')));

    const [waiting] = asked.interruptions;
    if (waiting) asked.state.approve(waiting);
    const resumed = await run(agent, asked.state, { session, stream: true });
    await resumed.completed;
    expect(resumed.finalOutput).toBe('Done.');
    expect(await open().getItems()).toEqual(
      stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
    );
  });

  it('holds the input of a streamed run that failed, once', async () => {
    const agent = plainAgent(new ScriptedModel([modelError(new Error('overloaded'))]));
    const streamed = await run(agent, 'Hello', { session: open(), stream: true });
    await expect(streamed.completed).rejects.toThrow('overloaded');
    expect(await open().getItems()).toEqual([asks('Hello')]);
  });

  it('keeps the items of each run together when runs go on at once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `run ${index}`);
    const { promise: allAsked, resolve } = Promise.withResolvers<void>();
    let waiting = names.length;
    const session = open();
    await Promise.all(
      names.map((name, index) => {
        const answer = modelResponder(async () => {
          if (--waiting === 0) resolve();
          await allAsked;
          return [assistantMessage(`Answer to ${name}`)];
        });
        // Half of them share an instance, the others have each their own.
        return run(plainAgent(new ScriptedModel([answer])), name, { session: index % 2 ? session : open() });
      }),
    );
    const history = await open().getItems();
    const asked = history.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content as string] : []));
    expect(asked.toSorted()).toEqual(names.toSorted());
    expect(history).toEqual(asked.flatMap((name) => stored(asks(name), assistantMessage(`Answer to ${name}`))));
  });

  it('lets a user correct what was said last', async () => {
    const model = new ScriptedModel([[assistantMessage('One')], [assistantMessage('Two')]]);
    const agent = plainAgent(model);
    await run(agent, 'Capital of Norge?', { session: open() });
    expect(await open().popItem()).toEqual(assistantMessage('One'));
    expect(await open().popItem()).toEqual(asks('Capital of Norge?'));
    await run(agent, 'Capital of Norway?', { session: open() });
    expect(model.lastCall?.request.input).toEqual([asks('Capital of Norway?')]);
    expect(await open().getItems()).toEqual([asks('Capital of Norway?'), assistantMessage('Two')]);
  });

  it('begins anew after it was cleared, under the same id', async () => {
    const model = new ScriptedModel([[assistantMessage('One')], [assistantMessage('Two')]]);
    const session = open();
    await run(plainAgent(model), 'Remember 42', { session });
    await session.clearSession();
    await run(plainAgent(model), 'What number?', { session });
    expect(model.lastCall?.request.input).toEqual([asks('What number?')]);
    expect(await session.getSessionId()).toBe(sessionId);
    expect(await open().getItems()).toEqual([asks('What number?'), assistantMessage('Two')]);
  });

  it('gives a window of whole turns to a sessionInputCallback, and stores no item of it again', async () => {
    const session = open();
    const earlier = stored(
      asks('Hello'),
      assistantMessage('Hi'),
      asks('Refund A1'),
      storedCall('c1', 'A1'),
      result('c1', 'Refunded A1.'),
      assistantMessage('Done.'),
    );
    await session.addItems(earlier);
    const model = new ScriptedModel([[assistantMessage('Yes.')]]);
    await run(plainAgent(model), 'Really?', {
      session,
      // Three items would begin within the turn that calls the tool.
      sessionInputCallback: async (_history, input) => [...(await recentItems(session, { maxItems: 3 })), ...input],
    });
    expect(model.lastCall?.request.input).toEqual([...earlier.slice(2), asks('Really?')]);
    expect(await open().getItems()).toEqual([...earlier, asks('Really?'), assistantMessage('Yes.')]);
  });

  it('takes the compaction that a model makes for the whole history', async () => {
    const compaction: AgentOutputItem & AgentInputItem = {
      type: 'compaction',
      id: 'cmp_1',
      encrypted_content: 'gAAAAAB',
    };
    const model = new ScriptedModel([
      [assistantMessage('One')],
      [compaction, assistantMessage('Two')],
      [assistantMessage('Three')],
    ]);
    for (const input of ['1', '2', '3']) await run(plainAgent(model), input, { session: open() });
    expect(model.lastCall?.request.input).toEqual([compaction, assistantMessage('Two'), asks('3')]);
    expect(await open().getItems()).toEqual([
      compaction,
      assistantMessage('Two'),
      asks('3'),
      assistantMessage('Three'),
    ]);
  });

  it('rewrites calls as the own session of the SDK does', async () => {
    const items = stored(asks('Refund A1'), storedCall('c1', 'A1'), storedCall('c2', 'B2'), storedCall('c1', 'A1'));
    const replacement = stored(call('c1', 'A2'))[0] as FunctionCallItem;
    const mutations = [
      { type: 'replace_function_call', callId: 'c1', replacement },
      { type: 'replace_function_call', callId: 'c9', replacement },
    ] as const;
    const theirs = new MemorySession({ initialItems: items });
    await theirs.applyHistoryMutations({ mutations: [...mutations] });
    const ours = open();
    await ours.addItems(items);
    await ours.applyHistoryMutations({ mutations: [...mutations] });
    expect(await open().getItems()).toEqual(await theirs.getItems());
    expect(await open().getItems()).toEqual([items[0], replacement, items[2]]);
  });
});

describe.each(both)('%s when an answer of it gets lost under the runner', (_name, open) => {
  it.each([false, true])('a run fails, and its items are stored once (streamed: %s)', async (stream) => {
    const agent = plainAgent(new ScriptedModel([[assistantMessage('Hi')]]));
    const session = losesAnswer(open(), 'addItems');
    const outcome = stream
      ? run(agent, 'Hello', { session, stream }).then(({ completed }) => completed)
      : run(agent, 'Hello', { session });
    await expect(outcome).rejects.toThrow('the answer got lost');
    expect(await open().getItems()).toEqual([asks('Hello'), assistantMessage('Hi')]);
  });

  it.each([false, true])(
    'a resumed run finds its results stored, and adds none again (serialised: %s)',
    async (serialised) => {
      const refunded: string[] = [];
      const model = new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]);
      const agent = refundAgent(model, (order) => refunded.push(order));
      const { state, interruptions } = await run(agent, 'Refund A1', { session: open() });
      for (const item of interruptions) state.approve(item);
      await expect(run(agent, state, { session: losesAnswer(open(), 'addItems') })).rejects.toThrow(
        'the answer got lost',
      );
      expect(await open().getItems()).toEqual(
        stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.')),
      );

      const again = serialised ? await RunState.fromString<undefined, typeof agent>(agent, state.toString()) : state;
      const { finalOutput } = await run(agent, again, { session: open() });
      expect(finalOutput).toBe('Done.');
      expect(refunded).toEqual(['A1']);
      expect(await open().getItems()).toEqual(
        stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
      );
    },
  );

  it('a resumed run whose results were not stored adds them', async () => {
    const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
    const { state, interruptions } = await run(agent, 'Refund A1', { session: open() });
    for (const item of interruptions) state.approve(item);
    directory.hide();
    await expect(run(agent, state, { session: open() })).rejects.toThrow();
    directory.show();
    await run(agent, await RunState.fromString(agent, state.toString()), { session: open() });
    expect(await open().getItems()).toEqual(
      stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
    );
  });

  it.each([1, 2, 3])('a resumed run ends as with the own session of the SDK (add %i)', async (nth) => {
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
    // The runner can't tell whether its last message was stored, and may store it again: with any session.
    expect(ours).toEqual(await history(new MemorySession()));
  });

  it('a run whose history was changed meanwhile is refused by the runner, and adds nothing', async () => {
    const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')]]));
    const { state, interruptions } = await run(agent, 'Refund A1', { session: open() });
    for (const item of interruptions) state.approve(item);
    await expect(run(agent, state, { session: losesAnswer(open(), 'addItems') })).rejects.toThrow(
      'the answer got lost',
    );
    await open().addItems([asks('Hello?')]);
    const before = await open().getItems();
    await expect(run(agent, state, { session: open() })).rejects.toThrow('history changed');
    expect(await open().getItems()).toEqual(before);
  });

  it.each(['applyHistoryTransaction', undefined] as const)(
    'a blocked output is replaced once it is accepted (lost: %s)',
    async (lost) => {
      const lookup = tool({
        name: 'lookup',
        description: 'Finds an order.',
        parameters: z.object({ order: z.string() }),
        execute: ({ order }) => `${order} is on its way.`,
      });
      let blocks = true;
      const agent = new Agent({
        name: 'Shop',
        model: new ScriptedModel([
          [functionCall('lookup', { order: 'A1' }, { callId: 'c1' })],
          [assistantMessage('Soon.')],
        ]),
        tools: [lookup],
        outputGuardrails: [{ name: 'tone', execute: async () => ({ tripwireTriggered: blocks, outputInfo: {} }) }],
      });
      const session = lost ? losesAnswer(open(), lost) : open();
      const refusal = await run(agent, 'Where is A1?', { session }).catch((error: unknown) => error);
      if (!(refusal instanceof OutputGuardrailTripwireTriggered) || !refusal.state) throw refusal;
      const { id: _, ...lookupCall } = functionCall('lookup', { order: 'A1' }, { callId: 'c1' });
      const kept = stored(asks('Where is A1?'), lookupCall, result('c1', 'A1 is on its way.', 'lookup'));
      expect(await open().getItems()).toEqual(kept);

      // With the same operation id again, where the answer got lost.
      blocks = false;
      const accepted = await run(agent, refusal.state as RunState<unknown, typeof agent>, { session });
      expect(accepted.finalOutput).toBe('Soon.');
      expect(await open().getItems()).toEqual([...kept, assistantMessage('Soon.')]);
    },
  );
});

it('encrypted(FileSession) leaves nothing of a run to read in its files', async () => {
  const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
  const { state, interruptions } = await run(agent, 'Refund A1', { session: encryptedSession() });
  for (const item of interruptions) state.approve(item);
  await run(agent, state, { session: encryptedSession() });
  expect(await encryptedSession().getItems()).toHaveLength(4);
  const files = readdirSync(directory.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n');
  expect(texts).toContain('encrypted');
  expect(texts).not.toMatch(/refund|arguments|signature/i);
});
