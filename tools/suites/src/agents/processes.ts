import type { DurableSession } from '@keepsake/core';
import { OtherProcess } from '@keepsake/testing';
import type { AgentInputItem } from '@openai/agents';
import { assistantMessage } from '@openai/agents/testing';
import { describe, expect, it } from 'vitest';
import { asks, stored } from './items.ts';
import { runTurn, type Turn } from './run-agent.ts';

/**
 * Two processes, this one and another, each with an agent, on one session.
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
    const beginElsewhere = async (turn: Turn) => {
      const other = new OtherProcess(program, JSON.stringify(jobOf(turn)));
      await other.ready;
      other.go();
      return other;
    };

    it('the second run gets the items that the first stored', async () => {
      await runTurn(open(), { input: 'My name is Ada.', answer: 'Hello Ada.' });
      const other = await beginElsewhere({ input: 'Who am I?', answer: 'Ada.' });
      await other.end;
      const history = stored(asks('My name is Ada.'), assistantMessage('Hello Ada.'), asks('Who am I?'));
      expect(other.lines.map((line) => JSON.parse(line))).toEqual([history]);
      expect(await open().getItems()).toEqual([...history, ...stored(assistantMessage('Ada.'))]);
    });

    it('keeps the items of each run together during concurrent runs', async () => {
      const other = await beginElsewhere({ input: 'a', answer: 'to a' });
      await Promise.all([other.end, runTurn(open(), { input: 'b', answer: 'to b' })]);
      const history = await open().getItems();
      const order = JSON.stringify(history[0]).includes('"a"') ? ['a', 'b'] : ['b', 'a'];
      expect(history).toEqual(order.flatMap((name) => stored(asks(name), assistantMessage(`to ${name}`))));
    });
  });
}
