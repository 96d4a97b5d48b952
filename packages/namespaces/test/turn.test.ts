import {
  type Message,
  messageText,
  type PageOptions,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { expect, it } from 'vitest';
import { type AgentMemory, type MemoryScope, MemorySpace } from '../src/index.ts';
import { refused } from './support.ts';

function scopeOf(autoMemory?: AgentMemory['autoMemory'], preamble?: AgentMemory['preamble']) {
  const space = new MemorySpace({
    store: new InMemoryStore({ name: 'memory' }),
    sessions: new InMemorySessionStore(),
    agents: { bot: { autoMemory, preamble } },
  });
  return space.as({ principal: { id: 'alice' }, agent: 'bot' });
}

const texts = (messages: readonly Message[]) => messages.map(({ content }) => content);

it('a turn receives the newest k turns, oldest first; 10 by default', async () => {
  for (const [autoMemory, turns] of [
    [true, 10],
    [{ turns: 3 }, 3],
    [{ turns: 0 }, 0],
  ] as const) {
    const scope = scopeOf(autoMemory);
    for (let n = 0; n < 15; n++) await scope.turn({ sessionId: 's', input: `ask ${n}` }, async () => `answer ${n}`);
    let read: Message[] = [];
    await scope.turn({ sessionId: 's', input: 'now' }, async (messages) => {
      read = messages;
      return 'done';
    });
    const before = Array.from({ length: turns }, (_, k) => 15 - turns + k).flatMap((n) => [`ask ${n}`, `answer ${n}`]);
    expect(texts(read)).toEqual([...before, 'now']);
    expect(await scope.session('s').getItems()).toHaveLength(32);
  }
});

it('a run that fails or has an empty answer stores nothing', async () => {
  const scope = scopeOf(true);
  const turn = (answer: () => Promise<Message | string>) => scope.turn({ sessionId: 's', input: 'ask' }, answer);
  await expect(turn(() => Promise.reject(new Error('model down')))).rejects.toThrow('model down');
  for (const empty of [
    '',
    ' \n',
    { role: 'assistant', content: [] },
    { role: 'assistant', content: [{ text: ' ' }] },
  ]) {
    await turn(async () => empty as Message | string);
  }
  expect(await scope.session('s').getItems()).toEqual([]);
  await turn(async () => ({ role: 'assistant', content: [{ toolUse: { name: 'x', toolUseId: '1', input: {} } }] }));
  expect(await scope.session('s').getItems()).toHaveLength(2);
});

it('without autoMemory no turns are stored or loaded, but the preamble is added', async () => {
  const scope = scopeOf();
  await scope.memory.put({ id: 'seat', content: 'aisle' });
  for (let n = 0; n < 2; n++) {
    const answered = await scope.turn({ sessionId: 's', input: 'ask' }, async (messages) =>
      String(messages[0]?.content),
    );
    expect(answered.content).toMatch(/^<memory>\n.*seat: aisle.*\n<\/memory>\n\nask$/);
  }
  expect(await scope.session('s').getItems()).toEqual([]);
});

/** What the model got to see in each turn, as text. */
async function inputsOf(scope: MemoryScope, asks: readonly (Message | string)[]): Promise<string[]> {
  const inputs: string[] = [];
  for (const input of asks) {
    await scope.turn({ sessionId: 's', input }, async (messages) => {
      inputs.push(messages.map((message) => `${message.role}: ${messageText(message)}\n`).join(''));
      return 'done';
    });
  }
  return inputs;
}

it('a conversation begins with the preamble, which stays as it is in later turns and is never stored', async () => {
  const scope = scopeOf(true);
  await scope.memory.put({ id: 'seat', content: 'aisle' });
  const input: Message = { role: 'user', content: [{ text: 'ask' }] };
  const [first = '', ...later] = await inputsOf(scope, [input]);
  expect(later).toEqual([]);
  expect(first).toMatch(/^user: <memory>\n.*seat: aisle.*\n<\/memory>\nask\n$/);
  await scope.memory.put({ id: 'meal', content: 'vegan' });
  const [second, third = ''] = await inputsOf(scope, ['What about my meal?', 'And my seat?']);
  expect(second).toBe(`${first}assistant: done\nuser: What about my meal?\n`);
  expect(third).toBe(`${second}assistant: done\nuser: And my seat?\n`);
  expect(JSON.stringify(await scope.session('s').getItems())).not.toContain('aisle');
  expect(input).toEqual({ role: 'user', content: [{ text: 'ask' }] });
  await refused(
    () => scope.turn({ sessionId: 's', input: { role: 'system', content: 'x' } }, async () => 'x'),
    'INVALID_ARGUMENT',
    /the role `user`/,
  );
});

it('a preamble is made again if a memory in it was forgotten, and for another conversation', async () => {
  const scope = scopeOf(true);
  await scope.memory.putMany([
    { id: 'seat', content: 'aisle' },
    { id: 'meal', content: 'vegan' },
  ]);
  const before = await inputsOf(scope, ['ask']);
  await scope.memory.delete('seat');
  const after = await inputsOf(scope, ['ask again']);
  expect(before.join()).toMatch(/seat: aisle/);
  expect(after.join()).toMatch(/^user: <memory>\n<entry[^\n]*meal: vegan<\/entry>\n<\/memory>\n\nask\n/);
  expect(after.join()).not.toMatch(/aisle/);
  let other = '';
  await scope.turn({ sessionId: 'another', input: 'ask' }, async ([message]) => {
    other = String(message?.content);
    return 'done';
  });
  expect(other).toMatch(/^<memory>/);
});

it("with preamble: 'everyTurn', each turn has what is new for it at its end, and the blocks before it stay", async () => {
  const scope = scopeOf(true, 'everyTurn');
  await scope.memory.put({ id: 'seat', content: 'On planes, an aisle seat' });
  const [first = ''] = await inputsOf(scope, ['Book me a seat on the plane']);
  expect(first).toMatch(/^user: Book me a seat on the plane\n\n<memory>\n.*seat: On planes.*\n<\/memory>\n$/);
  await scope.memory.put({ id: 'meal', content: 'Vegan meals' });
  const [second = ''] = await inputsOf(scope, ['Which meals may I have?']);
  expect(second.startsWith(`${first}assistant: done\nuser: Which meals may I have?\n\n<memory>\n`)).toBe(true);
  expect(second).toContain('meal: Vegan meals');
  expect(JSON.stringify(await scope.session('s').getItems())).not.toContain('<memory>');
  await refused(() => scopeOf(true, 'sometimes' as 'start'), 'INVALID_ARGUMENT', /preamble must be/);
});

it('the sessions of an actor are listed page by page, newest activity first, among those of other actors', async () => {
  const sessions = new InMemorySessionStore();
  const space = new MemorySpace({ store: new InMemoryStore({ name: 'memory' }), sessions, agents: { bot: {} } });
  const [alice, bob] = ['alice', 'bob'].map((id) => space.as({ principal: { id }, agent: 'bot' }));
  for (let n = 0; n < 25; n++) {
    await (n % 3 === 0 ? alice : bob)?.session(`s${n}`).addItems([{ n }]);
  }
  await sessions.open('not of a space').addItems([{ n: 0 }]);
  const found: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined; ; pages++) {
    const page = await alice?.sessions.list({ limit: 4, ...(cursor !== undefined && { cursor }) });
    found.push(...(page?.items ?? []).map(({ sessionId }) => sessionId));
    expect(page?.items.length).toBeLessThanOrEqual(4);
    cursor = page?.cursor;
    if (cursor === undefined) break;
  }
  expect(found).toEqual([24, 21, 18, 15, 12, 9, 6, 3, 0].map((n) => `s${n}`));
  expect(pages).toBe(2);
  const fresh = alice?.session();
  expect(await fresh?.getSessionId()).toMatch(/^[0-9a-f-]{36}$/);
  await refused(() => alice?.session(''), 'INVALID_ARGUMENT', /sessionId/);
});

it('a list of the sessions of an actor reads only those, and takes an idPrefix', async () => {
  const sessions = new InMemorySessionStore();
  const read: string[] = [];
  const watched: SessionStore = Object.assign(new InMemorySessionStore(), {
    open: sessions.open.bind(sessions),
    async list(options?: SessionListOptions) {
      const page = await sessions.list(options);
      read.push(...page.items.map(({ sessionId }) => sessionId));
      return page;
    },
  });
  const space = new MemorySpace({
    store: new InMemoryStore({ name: 'memory' }),
    sessions: watched,
    agents: { bot: {} },
  });
  const own = ['a:1', 'a:2', 'a%', 'b'];
  for (const id of ['alice', 'alice2', 'bob']) {
    const scope = space.as({ principal: { id }, agent: 'bot' });
    for (const sessionId of own) await scope.session(sessionId).addItems([{ id }]);
  }
  const alice = space.as({ principal: { id: 'alice' }, agent: 'bot' });
  const listed = async (options?: SessionListOptions) =>
    (await alice.sessions.list(options)).items.map(({ sessionId }) => sessionId).reverse();
  expect(await listed()).toEqual(own);
  expect(await listed({ idPrefix: 'a' })).toEqual(['a:1', 'a:2', 'a%']);
  expect(await listed({ idPrefix: 'a:' })).toEqual(['a:1', 'a:2']);
  expect(await listed({ idPrefix: 'a%3A' })).toEqual([]);
  expect(read.filter((id) => !id.startsWith('bot:u:alice:'))).toEqual([]);
});

it('a cursor for the sessions of an actor reveals nothing about another actor', async () => {
  // A store whose cursor is the id of the last listed session, as a backend may implement it.
  const ids = ['bot:u:alice:s1', ...Array.from({ length: 1_500 }, (_, n) => `bot:u:bob:${n}`), 'bot:u:alice:s2'];
  const at = '2026-01-01T00:00:00.000Z';
  const sessions: SessionStore = Object.assign(new InMemorySessionStore(), {
    async list({ limit = 100, cursor }: PageOptions = {}) {
      const rest = cursor === undefined ? ids : ids.slice(ids.indexOf(cursor) + 1);
      const items = rest
        .slice(0, limit)
        .map((sessionId) => ({ sessionId, itemCount: 1, createdAt: at, updatedAt: at }));
      const last = items.at(-1)?.sessionId;
      return { items, ...(rest.length > limit && last !== undefined && { cursor: last }) };
    },
  });
  const space = new MemorySpace({ store: new InMemoryStore({ name: 'memory' }), sessions, agents: { bot: {} } });
  const alice = space.as({ principal: { id: 'alice' }, agent: 'bot' });
  const first = await alice.sessions.list({ limit: 1 });
  expect([first.items.map(({ sessionId }) => sessionId), first.cursor]).toEqual([['s1'], 'bot:u:alice:s1']);
  const second = await alice.sessions.list({ limit: 1, cursor: first.cursor as string });
  expect([second.items.map(({ sessionId }) => sessionId), second.cursor]).toEqual([['s2'], undefined]);
});
