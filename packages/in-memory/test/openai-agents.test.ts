import { asks } from '@keepsake/suites/agents/items';
import { describeAgentsRunner } from '@keepsake/suites/agents/runner';
import { Agent, type AgentInputItem, run } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { beforeEach, expect, it } from 'vitest';
import { InMemorySession, InMemorySessionStore } from '../src/index.ts';

let store: InMemorySessionStore;
beforeEach(() => {
  store = new InMemorySessionStore();
});

describeAgentsRunner('InMemorySession', () => store.open<AgentInputItem>('chat'));

it('InMemorySession gives a run its initial items and the items of earlier runs', async () => {
  const model = new ScriptedModel([[assistantMessage('Hi')], [assistantMessage('Bye')]]);
  const agent = new Agent({ name: 'Shop', model });
  const session = new InMemorySession<AgentInputItem>({ initialItems: [asks('Before')] });
  await run(agent, 'Hello', { session });
  await run(agent, 'Goodbye', { session });
  expect(model.lastCall?.request.input).toEqual([
    asks('Before'),
    asks('Hello'),
    assistantMessage('Hi'),
    asks('Goodbye'),
  ]);
});
