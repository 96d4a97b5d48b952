import { once } from 'node:events';
import type { DurableSession } from '@keepsake/core';
import { Agent, type AgentInputItem, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';

/** The input of one turn. */
export interface Turn {
  readonly input: string;
  /** The answer of the model. */
  readonly answer: string;
}

/** Runs one turn of an agent when the parent process signals it, and prints the model's input. */
export async function runAgent(session: DurableSession<AgentInputItem>, turn: Turn): Promise<void> {
  console.log('ready');
  await once(process.stdin, 'data');
  console.log(JSON.stringify(await runTurn(session, turn)));
  process.stdin.destroy();
}

/** Runs one turn of an agent, and returns the model's input. */
export async function runTurn(session: DurableSession<AgentInputItem>, { input, answer }: Turn): Promise<unknown> {
  setTracingDisabled(true);
  const model = new ScriptedModel([[assistantMessage(answer)]]);
  await run(new Agent({ name: 'Shop', model }), input, { session });
  return model.lastCall?.request.input;
}
