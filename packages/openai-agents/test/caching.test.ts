import { MemoryManager } from '@keepsake/core';
import { InMemorySession, InMemoryStore } from '@keepsake/in-memory';
import { Agent, type AgentInputItem, type Session, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryRunner } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));

const TOPICS = ['seats', 'tea', 'bees', 'Oslo', 'chess', 'jazz', 'bikes', 'bread', 'snow', 'books'];
const look = tool({
  name: 'look',
  description: 'Looks something up.',
  parameters: z.object({ topic: z.string() }),
  execute: ({ topic }) => `Everything about ${topic}. `.repeat(20),
});

/** The requests of ten turns with two rounds of tool calls each. */
async function requests(session: Session | undefined) {
  const store = new InMemoryStore({ name: 'facts' });
  for (const topic of TOPICS) await store.add(`Alice has an opinion about ${topic}: she likes ${topic} on Sundays.`);
  const call = (topic: string, callId: string) => [functionCall('look', { topic }, { callId })];
  const steps = TOPICS.flatMap((topic) => [
    call(topic, `${topic}-1`),
    call(`more ${topic}`, `${topic}-2`),
    [assistantMessage(`Alice likes ${topic}.`)],
  ]);
  const model = new ScriptedModel(steps);
  const agent = new Agent({ name: 'Guide', model, tools: [look] });
  const runner = memoryRunner(new MemoryManager({ stores: [store] }));
  let history: AgentInputItem[] = [];
  for (const topic of TOPICS) {
    const question: AgentInputItem = { role: 'user', content: `What does Alice think about ${topic}?` };
    const result = session
      ? await runner.run(agent, [question], { session })
      : await runner.run(agent, [...history, question]);
    history = result.history;
  }
  // The SDK itself removes ids from what it reads from sessions.
  const textOf = (item: AgentInputItem) => JSON.stringify({ ...item, id: undefined });
  return model.calls.map(({ request }) => (request.input as AgentInputItem[]).map(textOf));
}

it.each([
  ['a session', new InMemorySession<AgentInputItem>()],
  ['a history', undefined],
])('each request begins with all items of the one before, with %s', async (_, session) => {
  const all = await requests(session);
  expect(all).toHaveLength(30);
  expect(all.at(-1)?.filter((item) => item.includes('<memory>')).length).toBeGreaterThan(3);
  for (const topic of TOPICS) expect(all.at(-1)?.join()).toContain(`Alice has an opinion about ${topic}`);
  for (const [index, items] of all.slice(1).entries()) {
    expect(items.slice(0, all[index]?.length)).toEqual(all[index]);
  }
});
