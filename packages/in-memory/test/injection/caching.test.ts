import type { MemoryStore, Message } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { Agent, assistant, entriesIn, managerOf, toolResult, toolUse, user } from './support.ts';

const PEOPLE = ['Runa', 'Joe', 'Ana', 'Marta', 'Piet', 'Ulla', 'Omar', 'Ines', 'Yuki', 'Lars'];
const fact = (name: string) => `${name} plays the violin in the orchestra of ${name}ville.`;
const question = (name: string) => `Which instrument does ${name} play?`;

async function storeOf(contents: readonly string[] = PEOPLE.map(fact)): Promise<InMemoryStore> {
  const store = new InMemoryStore({ name: 'notes' });
  for (const content of contents) await store.add(content);
  return store;
}

/** The number of first messages that two requests share, compared byte for byte. */
function shared(one: readonly Message[], other: readonly Message[]): number {
  const differs = one.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(other[index]));
  return differs === -1 ? one.length : differs;
}

describe('consecutive model calls', () => {
  it('are identical before the newest message, over ten turns with tool loops', async () => {
    const { memory } = managerOf([await storeOf()]);
    const agent = new Agent(memory.conversation());
    agent.history.push({ role: 'system', content: 'You are helpful.' });
    for (const name of PEOPLE) await agent.turn(question(name), { tools: 3 });
    expect(agent.requests).toHaveLength(40);
    for (const [index, request] of agent.requests.entries()) {
      const previous = agent.requests[index - 1] ?? [];
      expect(shared(previous, request)).toBe(previous.length);
    }
    const shown = agent.requests.at(-1)?.flatMap(entriesIn);
    expect(shown).toEqual(PEOPLE.map(fact));
  });

  it('stay identical if facts change, and show the new fact at the message that asked for it', async () => {
    const store = await storeOf([]);
    await store.put({ id: 'home', content: 'Runa lives in Oslo.' });
    const { memory } = managerOf([store]);
    const agent = new Agent(memory.conversation());
    await agent.turn('Where does Runa live?', { answer: 'In Norway.' });
    await agent.turn('Is it nice where Runa lives?', { answer: 'Yes.' });
    await store.put({ id: 'home', content: 'Runa lives in Bergen.' });
    await agent.turn('Where does Runa live now?');
    const [first = [], second = [], third = []] = agent.requests;
    expect([first, second, third].map((request) => request.flatMap(entriesIn))).toEqual([
      ['Runa lives in Oslo.'],
      ['Runa lives in Oslo.'],
      ['Runa lives in Oslo.', 'Runa lives in Bergen.'],
    ]);
    expect([shared(first, second), shared(second, third)]).toEqual([first.length, second.length]);
  });

  it('stay identical if messages before the last question lose their tool calls', async () => {
    const { memory } = managerOf([await storeOf()]);
    const agent = new Agent(memory.conversation());
    const texts = (messages: readonly Message[]) => messages.filter(({ content }) => typeof content === 'string');
    for (const name of PEOPLE) {
      await agent.turn(question(name), { tools: 2 });
      agent.history = texts(agent.history);
    }
    const kept = agent.requests.filter((_, index) => index % 3 === 2).map(texts);
    for (const [index, request] of kept.slice(1).entries())
      expect(shared(kept[index] ?? [], request)).toBe(index * 2 + 1);
  });

  it('stay identical if some have another history, such as one that asks for a title', async () => {
    const { memory } = managerOf([await storeOf()]);
    const agent = new Agent(memory.conversation());
    const requests: Message[][] = [];
    for (const name of PEOPLE.slice(0, 5)) {
      requests.push(await agent.turn(question(name)));
      await agent.call([user('Write a title for a chat about instruments.')]);
    }
    for (const [index, request] of requests.slice(1).entries()) {
      expect(shared(requests[index] ?? [], request)).toBe(index * 2 + 1);
    }
  });

  it('show more of what is relevant if it is asked again, at most maxEntries at a time', async () => {
    const facts = Array.from({ length: 6 }, (_, index) => `Runa plays instrument number ${index}.`);
    const { memory } = managerOf([await storeOf(facts)], { maxEntries: 2 });
    const agent = new Agent(memory.conversation());
    for (let turn = 0; turn < 4; turn++) await agent.turn(`${'Again: '.repeat(turn)}Which instruments does Runa play?`);
    const shown = (agent.requests.at(-1) ?? []).map(entriesIn).filter((_, index) => index % 2 === 0);
    expect(shown.map(({ length }) => length)).toEqual([2, 2, 2, 0]);
    expect(shown.flat().sort()).toEqual(facts);
  });

  it('stay identical before a question that is edited', async () => {
    const { memory } = managerOf([await storeOf()]);
    const agent = new Agent(memory.conversation());
    await agent.turn(question('Runa'));
    const before = await agent.turn(question('Joe'));
    agent.history = agent.history.slice(0, 2);
    const after = await agent.turn(question('Ana'));
    expect(shared(before, after)).toBe(2);
    expect(after.flatMap(entriesIn)).toEqual([fact('Runa'), fact('Ana')]);
  });
});

describe('a history without its oldest messages', () => {
  it('keeps the blocks of the others', async () => {
    const { memory } = managerOf([await storeOf()]);
    const agent = new Agent(memory.conversation());
    for (const name of PEOPLE) {
      await agent.turn(question(name));
      agent.history = agent.history.slice(-6);
    }
    for (const [index, request] of agent.requests.entries()) {
      const names = PEOPLE.slice(Math.max(0, index - 3), index + 1);
      expect(request.flatMap(entriesIn)).toEqual(names.map(fact));
    }
  });

  it('keeps the blocks of messages with the same words', async () => {
    let asked = '';
    const { memory } = managerOf([await storeOf()], { query: () => question(asked) });
    const agent = new Agent(memory.conversation());
    for (const [index, name] of PEOPLE.entries()) {
      asked = name;
      const request = await agent.turn('Go on', { tools: 1, answer: `Done ${index % 3}` });
      // The window has three earlier turns.
      expect(request.flatMap(entriesIn)).toEqual(PEOPLE.slice(Math.max(0, index - 3), index + 1).map(fact));
      agent.history = agent.history.slice(-12);
    }
  });

  it('keeps the blocks after a summary of what was before', async () => {
    const { memory } = managerOf([await storeOf()]);
    const agent = new Agent(memory.conversation());
    for (const name of PEOPLE.slice(0, 4)) await agent.turn(question(name), { tools: 1 });
    const before = agent.requests.at(-1) ?? [];
    agent.history = [user('Summary: we talked about Runa and Joe.'), ...agent.history.slice(8)];
    const after = await agent.turn(question('Piet'));
    expect(after.flatMap(entriesIn)).toEqual(['Ana', 'Marta', 'Piet'].map(fact));
    expect(after.slice(1, 8)).toEqual(before.slice(8, 15));
  });

  it('shows entries again if the message that showed them is gone', async () => {
    const { memory } = managerOf([await storeOf()]);
    const agent = new Agent(memory.conversation());
    await agent.turn(question('Runa'));
    const asked = await agent.turn(`Again: ${question('Runa')}`);
    expect(asked.map(entriesIn)).toEqual([[fact('Runa')], [], []]);
    agent.history = agent.history.slice(2);
    const later = await agent.turn(`Once more: ${question('Runa')}`);
    expect(later.map(entriesIn)).toEqual([[], [], [fact('Runa')]]);
  });
});

describe('maxConversationTokens', () => {
  it('drops the oldest texts until the rest has half of them', async () => {
    // 100 tokens for each text, so that the fifth one is too much, and two stay.
    const format = () => 'x'.repeat(300);
    const store = await storeOf();
    const { memory } = managerOf([store], { maxConversationTokens: 400, maxTokens: 100, format });
    const agent = new Agent(memory.conversation());
    const shown = [];
    for (const name of PEOPLE.slice(0, 5)) {
      const request = await agent.turn(question(name));
      shown.push(request.map((message) => (JSON.stringify(message).includes('xxx') ? 'x' : '-')).join(''));
    }
    expect(shown.at(3)).toBe('x-x-x-x');
    expect(shown.at(4)).toBe('----x-x-x');
  });

  const tokens = (request: readonly Message[]) =>
    request
      .flatMap(({ content }) => /\n\n(<memory>.*)/s.exec(String(content))?.[1] ?? [])
      .reduce((sum, block) => sum + Math.ceil(Buffer.byteLength(block) / 3), 0);

  it('removes the oldest blocks in one step, so that few requests lose their prefix', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `Person${index}`);
    const { memory } = managerOf([await storeOf(names.map(fact))], { maxConversationTokens: 500, maxTokens: 100 });
    const agent = new Agent(memory.conversation());
    let broken = 0;
    for (const name of names) {
      const previous = agent.requests.at(-1) ?? [];
      const request = await agent.turn(question(name));
      expect(tokens(request)).toBeLessThanOrEqual(500);
      expect(entriesIn(request.at(-1))).toContain(fact(name));
      if (shared(previous, request) < previous.length) {
        broken++;
        expect(tokens(request)).toBeLessThanOrEqual(350);
        expect(tokens(request)).toBeGreaterThan(200);
      }
    }
    // About 40 tokens a turn: each step makes room for 6 turns.
    expect(broken).toBeGreaterThan(5);
    expect(broken).toBeLessThan(15);
  });

  it('is 4,000 by default, and the newest block stays even if it is larger', async () => {
    const long = (name: string) => `${fact(name)} ${`${name} likes music. `.repeat(12)}`.trim();
    const names = Array.from({ length: 60 }, (_, index) => `Person${index}`);
    const store = await storeOf(names.map(long));
    const agent = new Agent(managerOf([store]).memory.conversation());
    for (const name of names) expect(tokens(await agent.turn(question(name)))).toBeLessThanOrEqual(4_000);
    expect(Math.max(...agent.requests.map(tokens))).toBeGreaterThan(3_500);
    const small = new Agent(managerOf([store], { maxConversationTokens: 20 }).memory.conversation());
    for (const name of names.slice(0, 3)) {
      const request = await small.turn(question(name));
      expect(request.map((message) => entriesIn(message).length > 0).lastIndexOf(true)).toBe(request.length - 1);
      expect(request.filter((message) => entriesIn(message).length > 0)).toHaveLength(1);
    }
  });

  it('holds if one block alone can take most of it', async () => {
    let turn = 0;
    // About 230 and 350 tokens in turn.
    const found = () =>
      Array.from({ length: 2 + (turn % 2) }, (_, index) => `${turn}-${index} ${'La la la. '.repeat(28)}`);
    const search = async () => found().map((content) => ({ content: content.trim() }));
    const store: MemoryStore = { name: 'notes', writable: false, search };
    const { memory } = managerOf([store], { maxTokens: 400, maxConversationTokens: 500 });
    const agent = new Agent(memory.conversation());
    for (; turn < 15; turn++) {
      const request = await agent.turn(question(`Person${turn}`));
      expect(tokens(request)).toBeLessThanOrEqual(500);
      expect(entriesIn(request.at(-1))).toHaveLength(2 + (turn % 2));
    }
  });

  it('shows an entry again if its block was removed to make room', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `Person${index}`);
    const { memory } = managerOf([await storeOf(names.map(fact))], { maxConversationTokens: 300, maxTokens: 100 });
    const agent = new Agent(memory.conversation());
    for (const name of names) await agent.turn(question(name));
    expect((agent.requests.at(-1) ?? []).flatMap(entriesIn)).not.toContain(fact('Person0'));
    expect(entriesIn((await agent.turn(`Again: ${question('Person0')}`)).at(-1))).toContain(fact('Person0'));
  });
});

describe('blocks', () => {
  it('are what inject appends, with their places; block is all of them', async () => {
    const { memory } = managerOf([await storeOf()]);
    const chat = memory.conversation();
    const agent = new Agent(chat);
    await agent.turn(question('Runa'), { tools: 1 });
    agent.history.push(user('Thank you!'), assistant('Sure.'), user(question('Joe')), toolUse('t'), toolResult('t'));
    const blocks = await chat.blocks(agent.history);
    expect(blocks.map(({ index, text }) => [index, entriesIn(text)])).toEqual([
      [0, [fact('Runa')]],
      [6, [fact('Joe')]],
    ]);
    const request = await agent.call();
    for (const { index, text } of blocks) {
      expect(request[index]?.content).toBe(`${agent.history[index]?.content}\n\n${text}`);
    }
    expect(request.filter((message) => entriesIn(message).length > 0)).toHaveLength(2);
    expect(await chat.block(agent.history)).toBe(blocks.map(({ text }) => text).join('\n\n'));
    expect(await chat.blocks([assistant('Hello')])).toEqual([]);
  });

  it('are not extracted, however many a request has', async () => {
    const notes = await storeOf();
    const learned = new InMemoryStore({ name: 'learned', extraction: true });
    const { memory } = managerOf([notes, learned], { maxTokens: 100 });
    const chat = memory.conversation();
    const agent = new Agent(chat);
    for (const name of PEOPLE) await agent.turn(question(name));
    for (let index = 0; index < 30; index++) {
      await notes.add(`Topic${index} is about ${index} things.`);
      await agent.turn(`What is Topic${index} about?`);
    }
    const request = await agent.call([...agent.history, user('Thanks')]);
    expect(JSON.stringify(request).match(/<memory>/g)?.length).toBeGreaterThan(35);
    chat.observe(...request);
    await memory.flush({ throwOnFailure: true });
    const { items } = await learned.list({ limit: 1_000 });
    expect(items.length).toBeGreaterThan(35);
    expect(items.filter(({ content }) => content.includes('<memory>'))).toEqual([]);
  });
});
