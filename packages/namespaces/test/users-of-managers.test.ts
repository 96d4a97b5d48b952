import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { expect, it } from 'vitest';
import { MemorySpace } from '../src/index.ts';
import { contents } from './support.ts';

const USERS = ['alice', 'alic', 'u', 'a:b'];

/** A store in which each user of a manager has a memory, an unsaved message, and a message that can't be learned. */
async function usedStore() {
  const root = new InMemoryStore({ name: 'memory' });
  const extraction = { trigger: { name: 'never', attach() {} }, extractor: { extract: refuse } };
  const bot = root.within(['agent', 'bot'], { name: 'bot', extraction });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const memory = new MemoryManager({ stores: [bot], outbox: root, telemetry: { logger: silent } });
  for (const user of USERS) {
    const own = memory.for({ user });
    await own.add(`Fact of ${user}`);
    const chat = own.conversation({ id: 'monday' });
    chat.observe({ role: 'user', content: `Refused words of ${user}` });
    await chat.endTurn();
    await own.flush();
    expect((await own.deadLetters()).items).toHaveLength(1);
    chat.observe({ role: 'user', content: `Unsaved words of ${user}` });
    await chat.endTurn();
  }
  return root;
}

async function refuse(): Promise<never> {
  throw Object.assign(new Error('Refused by the content filter.'), { status: 400 });
}

const words = async (store: InMemoryStore) =>
  Object.values(await contents({ store } as never))
    .flat()
    .join('\n');

it('finds the memory of a user of a manager where a scope of that user does', async () => {
  const store = await usedStore();
  const space = new MemorySpace({ store, agents: { bot: {} } });
  const found = await space.as({ principal: { id: 'alice' }, agent: 'bot' }).memory.list();
  expect(found.items.map(({ content }) => content)).toEqual(['Fact of alice']);
});

it('erases what managers hold of a user: memories, unsaved messages and dead letters, and nothing of others', async () => {
  const store = await usedStore();
  const space = new MemorySpace({ store, agents: { bot: {} } });
  for (const user of USERS) expect(await words(store)).toContain(`Unsaved words of ${user}"`);
  const { memories, outboxRecords } = await space.eraseUser({ id: 'alice' });
  expect(memories).toBe(1);
  expect(outboxRecords).toBeGreaterThanOrEqual(2);
  const left = await words(store);
  expect(left).not.toMatch(/\balice\b/);
  for (const user of USERS.slice(1)) {
    for (const kind of ['Fact', 'Unsaved words', 'Refused words']) expect(left).toContain(`${kind} of ${user}`);
  }
});
