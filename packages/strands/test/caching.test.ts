import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import {
  Agent,
  type AgentConfig,
  type Message,
  NullConversationManager,
  type Plugin,
  MemoryManager as StrandsMemoryManager,
  type StreamOptions,
  tool,
} from '@strands-agents/sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { contextPlugin, keepsake } from '../src/index.ts';

const TOPICS = ['seats', 'tea', 'bees', 'Oslo', 'chess', 'jazz', 'bikes', 'bread', 'snow', 'books'];
const look = tool({
  name: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ topic: z.string() }),
  callback: ({ topic }) => `Everything about ${topic}. `.repeat(20),
});

/** The requests of ten turns with two rounds of tool calls each, as texts. */
async function requests(config: (store: InMemoryStore) => Pick<AgentConfig, 'plugins' | 'memoryManager'>) {
  const store = new InMemoryStore({ name: 'facts' });
  for (const topic of TOPICS) await store.add(`Alice has an opinion about ${topic}: she likes ${topic} on Sundays.`);
  const replies = TOPICS.flatMap((topic): Reply[] => [
    { tool: 'look', input: { topic } },
    { tool: 'look', input: { topic: `more ${topic}` } },
    `Alice likes ${topic}.`,
  ]);
  const model = new ScriptedModel(...replies);
  // Otherwise the SDK drops old messages, and with them the beginning of a request.
  const conversationManager = new NullConversationManager();
  const agent = new Agent({ model, tools: [look], conversationManager, printer: false, ...config(store) });
  for (const topic of TOPICS) await agent.invoke(`What does Alice think about ${topic}?`);
  const withoutIds = (key: string, value: unknown) => (key === 'trackingId' || key === 'metadata' ? undefined : value);
  return model.inputs.map((messages) => messages.map((message) => JSON.stringify(message, withoutIds)).join('\n'));
}

/** How much of each request the next one begins with, over all requests. */
function sharedPart(texts: readonly string[]): number {
  const pairs = texts.slice(1).map((text, index) => [texts[index] as string, text] as const);
  const shared = pairs.map(([before, text]) => {
    const end = [...before].findIndex((character, place) => character !== text[place]);
    return end === -1 ? before.length : end;
  });
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return sum(shared) / sum(pairs.map(([before]) => before.length));
}

it('each request begins with all of the one before, in which the manager of Strands is not better', async () => {
  const ours = await requests((store) => ({ plugins: [keepsake(new MemoryManager({ stores: [store] }))] }));
  const theirs = await requests((store) => ({ memoryManager: new StrandsMemoryManager({ stores: [store] }) }));
  expect([ours.length, theirs.length]).toEqual([30, 30]);
  for (const texts of [ours, theirs])
    expect(texts.filter((text) => text.includes('<memory>')).length).toBeGreaterThan(5);
  for (const topic of TOPICS) expect(ours.at(-1)).toContain(`Alice has an opinion about ${topic}`);
  expect(sharedPart(ours)).toBeGreaterThanOrEqual(sharedPart(theirs));
  expect(sharedPart(ours)).toBe(1);
});

it.each<[string, (memory: Plugin, clock: Plugin) => Plugin[], (number | undefined)[]]>([
  ['memory alone is cached', (memory) => [memory], [undefined, undefined]],
  ['a text of your own is not', (_, clock) => [clock], [1, undefined]],
  ['nor is what comes after it', (memory, clock) => [clock, memory], [2, undefined]],
  ['and memory before it is', (memory, clock) => [memory, clock], [1, undefined]],
])('the number of blocks that the model must not cache: %s', async (_, order, expected) => {
  const store = new InMemoryStore({ name: 'facts' });
  await store.add('Alice likes tea.');
  const model = new RecordingModel({ tool: 'look', input: { topic: 'tea' } }, 'Tea.');
  const plugins = order(keepsake(new MemoryManager({ stores: [store] })), contextPlugin({ render: () => 'Noon.' }));
  await new Agent({ model, tools: [look], plugins, printer: false }).invoke('What does Alice like?');
  expect(model.dynamic).toEqual(expected);
  const input = JSON.stringify(model.inputs[0]);
  for (const { name } of plugins) expect(input).toContain(name === 'keepsake' ? 'Alice likes tea.' : 'Noon.');
});

/** A scripted model that records how many blocks of each call are dynamic. */
class RecordingModel extends ScriptedModel {
  readonly dynamic: (number | undefined)[] = [];

  override stream(messages: Message[], options?: StreamOptions) {
    this.dynamic.push(options?.dynamicTrailingBlocks);
    return super.stream(messages, options);
  }
}
