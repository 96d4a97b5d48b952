import { once } from 'node:events';
import type { DurableSession } from '@keepsake/core';
import { Agent, type AgentInputItem, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';

/** What one turn is of. */
export interface Turn {
  readonly input: string;
  /** What the model says to it. */
  readonly answer: string;
}

/** One turn of an agent, once the process that has started this one says so; prints what the model was given. */
export async function runAgent(session: DurableSession<AgentInputItem>, { input, answer }: Turn): Promise<void> {
  setTracingDisabled(true);
  const model = new ScriptedModel([[assistantMessage(answer)]]);
  console.log('ready');
  await once(process.stdin, 'data');
  await run(new Agent({ name: 'Shop', model }), input, { session });
  console.log(JSON.stringify(model.lastCall?.request.input));
  process.stdin.destroy();
}
