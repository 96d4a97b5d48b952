import { type DurableSession, recentItems } from '@keepsake/core';
import { encrypted } from '@keepsake/privacy';
import {
  Agent,
  type AgentInputItem,
  type AgentOutputItem,
  type FunctionCallItem,
  isSessionHistoryRewriteAwareSession,
  isSessionHistoryTransactionAwareSession,
  MemorySession,
  type Model,
  RunState,
  run,
  setTracingDisabled,
} from '@openai/agents';
import { assistantMessage, modelError, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { asks, call, result, stored, storedCall } from './items.ts';
import { describeLostAnswers } from './lost-answers.ts';
import { refundAgent } from './refund-agent.ts';

const keys = { current: 'k1', keys: { k1: crypto.getRandomValues(new Uint8Array(32)) } };
const plainAgent = (model: Model) => new Agent({ name: 'Shop', model });

/**
 * Sessions of a backend, plain and encrypted, under the runner of `@openai/agents`.
 *
 * @param open - Opens a new instance of one session, which is empty at the start of each test.
 */
export function describeAgentsRunner(name: string, open: () => DurableSession<AgentInputItem>): void {
  beforeAll(() => setTracingDisabled(true));
  for (const [kind, openKind] of [
    [name, open],
    [`encrypted(${name})`, () => encrypted(open(), keys)],
  ] as const) {
    describeRuns(kind, openKind);
    describeLostAnswers(kind, openKind);
  }
}

function describeRuns(name: string, open: () => DurableSession<AgentInputItem>): void {
  describe(`${name} under the runner of @openai/agents`, () => {
    it('has the methods that the runner requires', () => {
      expect(isSessionHistoryTransactionAwareSession(open())).toBe(true);
      expect(isSessionHistoryRewriteAwareSession(open())).toBe(true);
    });

    it('returns the whole history to a run, item by item, and stores what the run adds', async () => {
      const reasoningOf = (turn: number): AgentOutputItem & AgentInputItem => ({
        type: 'reasoning',
        id: `rs_${turn}`,
        content: [{ type: 'input_text', text: 'It has ears.\0\u2028\ud800 😀' }],
        providerData: { encrypted_content: 'gAAAAAB', summary: [] },
      });
      const model = new ScriptedModel();
      const agent = plainAgent(model);
      const expected: AgentInputItem[] = [];
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

    it.each([false, true])(
      'stores the input, then the outputs of a streamed run that needs human approval (serialised: %s)',
      async (serialised) => {
        const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
        const asked = await run(agent, 'Refund A1', { session: open(), stream: true });
        await asked.completed;
        expect(await open().getItems()).toEqual(stored(asks('Refund A1'), storedCall('c1', 'A1')));

        const state = serialised
          ? await RunState.fromString<undefined, typeof agent>(agent, asked.state.toString())
          : asked.state;
        for (const item of state.getInterruptions()) state.approve(item);
        const resumed = await run(agent, state, { session: open(), stream: true });
        await resumed.completed;
        expect(resumed.finalOutput).toBe('Done.');
        expect(await open().getItems()).toEqual(
          stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
        );
      },
    );

    it('stores the input of a failed streamed run once', async () => {
      const agent = plainAgent(new ScriptedModel([modelError(new Error('overloaded'))]));
      const streamed = await run(agent, 'Hello', { session: open(), stream: true });
      await expect(streamed.completed).rejects.toThrow('overloaded');
      expect(await open().getItems()).toEqual([asks('Hello')]);
    });

    it('keeps the items of each run together during concurrent runs', async () => {
      const names = Array.from({ length: 12 }, (_, index) => `run ${index}`);
      const { promise: allAsked, resolve } = Promise.withResolvers<void>();
      let waiting = names.length;
      const session = open();
      await Promise.all(
        names.map((name, index) => {
          const answer = modelResponder(async () => {
            if (--waiting === 0) resolve();
            await allAsked;
            return [assistantMessage(`to ${name}`)];
          });
          // Half of them share an instance, the others each have their own.
          return run(plainAgent(new ScriptedModel([answer])), name, { session: index % 2 ? session : open() });
        }),
      );
      const history = await open().getItems();
      const asked = history.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content as string] : []));
      expect(asked.toSorted()).toEqual(names.toSorted());
      expect(history).toEqual(asked.flatMap((name) => stored(asks(name), assistantMessage(`to ${name}`))));
    });

    it('lets a user correct the last message', async () => {
      const model = new ScriptedModel([[assistantMessage('One')], [assistantMessage('Two')]]);
      const agent = plainAgent(model);
      await run(agent, 'Capital of Norge?', { session: open() });
      expect(await open().popItem()).toEqual(assistantMessage('One'));
      expect(await open().popItem()).toEqual(asks('Capital of Norge?'));
      await run(agent, 'Capital of Norway?', { session: open() });
      expect(model.lastCall?.request.input).toEqual([asks('Capital of Norway?')]);
      expect(await open().getItems()).toEqual([asks('Capital of Norway?'), assistantMessage('Two')]);
    });

    it('starts over with the same id after it is cleared', async () => {
      const model = new ScriptedModel([[assistantMessage('One')], [assistantMessage('Two')]]);
      const session = open();
      const sessionId = await session.getSessionId();
      await run(plainAgent(model), 'Remember 42', { session });
      await session.clearSession();
      await run(plainAgent(model), 'What number?', { session });
      expect(model.lastCall?.request.input).toEqual([asks('What number?')]);
      expect(await session.getSessionId()).toBe(sessionId);
      expect(await open().getItems()).toEqual([asks('What number?'), assistantMessage('Two')]);
    });

    it('provides a window of whole turns in a sessionInputCallback, and stores none of its items again', async () => {
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
        // Three items would start within the turn that calls the tool.
        sessionInputCallback: async (_history, input) => [...(await recentItems(session, { maxItems: 3 })), ...input],
      });
      expect(model.lastCall?.request.input).toEqual([...earlier.slice(2), asks('Really?')]);
      expect(await open().getItems()).toEqual([...earlier, asks('Really?'), assistantMessage('Yes.')]);
    });

    it('replaces the whole history with the compaction of a model', async () => {
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

    it("rewrites calls like the SDK's own session", async () => {
      const items = stored(asks('Refund A1'), storedCall('c1', 'A1'), storedCall('c2', 'B2'), storedCall('c1', 'A1'));
      const replacement = stored(call('c1', 'A2'))[0] as FunctionCallItem;
      const mutations = ['c1', 'c9'].map((callId) => ({ type: 'replace_function_call' as const, callId, replacement }));
      const theirs = new MemorySession({ initialItems: items });
      await theirs.applyHistoryMutations({ mutations });
      const ours = open();
      await ours.addItems(items);
      await ours.applyHistoryMutations({ mutations });
      expect(await open().getItems()).toEqual(await theirs.getItems());
      expect(await open().getItems()).toEqual([items[0], replacement, items[2]]);
    });
  });
}
