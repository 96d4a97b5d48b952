import type { DurableSession } from '@keepsake/core';
import { inOtherProcesses } from '@keepsake/testing';
import type { AgentInputItem } from '@openai/agents';
import { assistantMessage } from '@openai/agents/testing';
import { describe, expect, it } from 'vitest';
import { asks, stored } from './items.ts';
import type { Turn } from './run-agent.ts';

/**
 * Two processes, each with an agent, on one session.
 *
 * @param open - Opens the session, which is empty at the start of each test.
 * @param program - A program that calls `runAgent` with that session; its argument is the result of `jobOf` as JSON.
 */
export function describeAgentsInProcesses(
  name: string,
  open: () => DurableSession<AgentInputItem>,
  program: string,
  jobOf: (turn: Turn) => object,
): void {
  describe(`two processes, one ${name}, the runner of @openai/agents`, () => {
    const elsewhere = (...turns: Turn[]) =>
      inOtherProcesses(
        program,
        turns.map((turn) => JSON.stringify(jobOf(turn))),
      );

    it('the second run gets the items that the first stored', async () => {
      await elsewhere({ input: 'My name is Ada.', answer: 'Hello Ada.' });
      const [[seen = ''] = []] = await elsewhere({ input: 'Who am I?', answer: 'Ada.' });
      const history = stored(asks('My name is Ada.'), assistantMessage('Hello Ada.'), asks('Who am I?'));
      expect(JSON.parse(seen)).toEqual(history);
      expect(await open().getItems()).toEqual([...history, ...stored(assistantMessage('Ada.'))]);
    });

    it('keeps the items of each run together during concurrent runs', async () => {
      await elsewhere(...['a', 'b'].map((name) => ({ input: name, answer: `to ${name}` })));
      const history = await open().getItems();
      const order = JSON.stringify(history[0]).includes('"a"') ? ['a', 'b'] : ['b', 'a'];
      expect(history).toEqual(order.flatMap((name) => stored(asks(name), assistantMessage(`to ${name}`))));
    });
  });
}
