import type { DurableSession } from '@keepsake/core';
import { losesAnswer } from '@keepsake/testing';
import {
  Agent,
  type AgentInputItem,
  MemorySession,
  OutputGuardrailTripwireTriggered,
  RunState,
  run,
  type Session,
  tool,
} from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asks, call, result, stored, storedCall } from './items.ts';
import { refundAgent } from './refund-agent.ts';

/** The session's change is made, but the caller gets no answer. */
export function describeLostAnswers(name: string, open: () => DurableSession<AgentInputItem>): void {
  describe(`${name} with a lost answer under the runner of @openai/agents`, () => {
    it.each([false, true])('a run fails, and its items are stored once (streamed: %s)', async (stream) => {
      const agent = new Agent({ name: 'Shop', model: new ScriptedModel([[assistantMessage('Hi')]]) });
      const session = losesAnswer(open(), 'addItems');
      const outcome = stream
        ? run(agent, 'Hello', { session, stream }).then(({ completed }) => completed)
        : run(agent, 'Hello', { session });
      await expect(outcome).rejects.toThrow('the answer got lost');
      expect(await open().getItems()).toEqual([asks('Hello'), assistantMessage('Hi')]);
    });

    it.each([false, true])(
      'a resumed run finds its results stored and adds none again (serialised: %s)',
      async (serialised) => {
        const refunded: string[] = [];
        const model = new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]);
        const agent = refundAgent(model, (order) => refunded.push(order));
        const { state, interruptions } = await run(agent, 'Refund A1', { session: open() });
        for (const item of interruptions) state.approve(item);
        await expect(run(agent, state, { session: losesAnswer(open(), 'addItems') })).rejects.toThrow(
          'the answer got lost',
        );
        const kept = stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'));
        expect(await open().getItems()).toEqual(kept);

        const again = serialised ? await RunState.fromString<undefined, typeof agent>(agent, state.toString()) : state;
        const { finalOutput } = await run(agent, again, { session: open() });
        expect(finalOutput).toBe('Done.');
        expect(refunded).toEqual(['A1']);
        expect(await open().getItems()).toEqual([...kept, assistantMessage('Done.')]);
      },
    );

    it.each([1, 2, 3])("a resumed run ends as with the SDK's own session (add %i)", async (nth) => {
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
      // With any session, the runner can't tell whether its last message was stored, and may store it again.
      expect(ours).toEqual(await history(new MemorySession()));
    });

    it('a run whose history was changed in the meantime is refused by the runner and adds nothing', async () => {
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

        // Retried with the same operation id if the answer got lost.
        blocks = false;
        const accepted = await run(agent, refusal.state as RunState<unknown, typeof agent>, { session });
        expect(accepted.finalOutput).toBe('Soon.');
        expect(await open().getItems()).toEqual([...kept, assistantMessage('Soon.')]);
      },
    );
  });
}
