import {
  type Conversation,
  type MemoryForgetOptions,
  type MemoryStore,
  type MemoryTool,
  type Message,
  messageText,
} from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { assistant, managerOf, user } from '../extraction/support.ts';
import { contentsOf, learningManager, saidIn } from './support.ts';

async function twoStores() {
  const stores = [new InMemoryStore({ name: 'personal' }), new InMemoryStore({ name: 'diary' })] as const;
  const { memory } = managerOf({ stores, forgetToolConfig: true });
  await memory.add('Likes tea.');
  await memory.add('Likes rain.', { stores: ['personal'] });
  await memory.add('Likes snow.', { stores: ['diary'] });
  return { stores, memory };
}

const left = async (store: InMemoryStore) => contentsOf((await store.list({ order: 'oldest' })).items);

describe('forget', () => {
  it('deletes what a search has found, in the store it was found in, and returns the records', async () => {
    const { stores, memory } = await twoStores();
    const [found] = await memory.search('tea', { stores: ['diary'] });
    const { forgotten, notFound } = await memory.forget({ ids: [found ?? ''] });
    expect(forgotten).toEqual([
      expect.objectContaining({ storeName: 'diary', content: 'Likes tea.', version: putTimes(1) }),
    ]);
    expect(notFound).toEqual([]);
    expect(await Promise.all(stores.map(left))).toEqual([['Likes tea.', 'Likes rain.'], ['Likes snow.']]);
    expect(contentsOf(await memory.search('tea'))).toEqual(['Likes tea.']);
  });

  it('deletes an id without a store in every store that has it', async () => {
    const { stores, memory } = await twoStores();
    const [found] = await memory.search('tea');
    const { forgotten } = await memory.forget({ ids: [found?.id as string] });
    expect(forgotten.map(({ storeName }) => storeName)).toEqual(['personal', 'diary']);
    expect(await Promise.all(stores.map(left))).toEqual([['Likes rain.'], ['Likes snow.']]);
    expect(await memory.search('tea')).toEqual([]);
  });

  it('accepts what list returns, ids in stores, and stores for ids', async () => {
    const { stores, memory } = await twoStores();
    const { items } = await memory.list({ stores: ['personal'] });
    const rain = items.find(({ content }) => content === 'Likes rain.')?.id as string;
    expect((await memory.forget({ ids: [{ id: rain, storeName: 'diary' }] })).forgotten).toEqual([]);
    expect((await memory.forget({ ids: [rain], stores: ['diary'] })).notFound).toEqual([rain]);
    expect((await memory.forget({ ids: items })).forgotten).toHaveLength(2);
    expect(await Promise.all(stores.map(left))).toEqual([[], ['Likes tea.', 'Likes snow.']]);
  });

  it('names ids that no store has, each once', async () => {
    const { memory } = await twoStores();
    const [found] = await memory.search('rain');
    const ids = ['nope', found?.id as string, 'a*', 'nope', { id: '../x', storeName: 'diary' }];
    const { forgotten, notFound } = await memory.forget({ ids });
    expect([contentsOf(forgotten), notFound]).toEqual([['Likes rain.'], ['nope', 'a*', '../x']]);
    expect(await memory.forget({ ids: [] })).toEqual({ forgotten: [], notFound: [] });
  });

  it('deletes nothing if one of the memories is in a store that is read-only', async () => {
    const base = new InMemoryStore({ name: 'base' });
    const team = base.within(['team'], { name: 'team' });
    const personal = base.within(['me'], { name: 'personal' });
    const { id } = await team.add('Likes tea.');
    await personal.add('Likes tea.');
    const readOnly = base.within(['team'], { name: 'team', writable: false });
    const { memory } = managerOf({ stores: [personal, readOnly] });
    const refused = { code: 'READ_ONLY', message: 'Store "team" can\'t forget. These can: "personal".' };
    await expect(memory.forget({ ids: [id] })).rejects.toMatchObject(refused);
    await expect(memory.forget({ ids: [{ id, storeName: 'team' }] })).rejects.toMatchObject(refused);
    await expect(memory.forget({ ids: [id], stores: ['team'] })).rejects.toMatchObject(refused);
    expect(await personal.get(id)).toBeDefined();
    expect((await memory.forget({ ids: [id], stores: ['personal'] })).forgotten).toHaveLength(1);
    expect(await team.get(id)).toBeDefined();
  });

  it('refuses stores that can not delete, by name', async () => {
    const plain: MemoryStore = { name: 'plain', writable: true, search: async () => [], add: async () => {} };
    const { memory } = managerOf({ stores: [plain, new InMemoryStore({ name: 'personal' })] });
    expect(await memory.forget({ ids: ['x'] })).toEqual({ forgotten: [], notFound: ['x'] });
    await expect(memory.forget({ ids: [{ id: 'x', storeName: 'plain' }] })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    });
    await expect(managerOf({ stores: [plain] }).memory.forget({ ids: ['x'] })).rejects.toMatchObject({
      message: 'No store can forget. These can: none.',
    });
  });

  it('names the stores that failed and those that succeeded', async () => {
    const { stores, memory } = await twoStores();
    const [found] = await memory.search('tea');
    stores[0].delete = () => Promise.reject(new TypeError('secret'));
    const error = await memory.forget({ ids: [found?.id as string] }).catch((error) => error);
    expect(error).toBeInstanceOf(AggregateError);
    expect(error.errors).toMatchObject([{ code: 'BACKEND' }]);
    expect(error.message).toBe('Store "personal" failed to forget the memories (TypeError). Forgotten in: "diary".');
  });

  it('deletes nothing if a store can not be read', async () => {
    const { stores, memory } = await twoStores();
    const [found] = await memory.search('tea');
    stores[1].get = () => Promise.reject(new TypeError('secret'));
    await expect(memory.forget({ ids: [found?.id as string] })).rejects.toMatchObject({
      code: 'BACKEND',
      message: 'Store "diary" failed to read the memories (TypeError).',
    });
    expect(await left(stores[0])).toEqual(['Likes tea.', 'Likes rain.']);
  });

  it('stops waiting when it is aborted', async () => {
    const { stores, memory } = await twoStores();
    const [found] = await memory.search('rain');
    const ids = [found?.id as string];
    await expect(memory.forget({ ids, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await left(stores[0])).toContain('Likes rain.');
    const control = new AbortController();
    stores[0].delete = () => {
      control.abort();
      return new Promise(() => {});
    };
    const error = await memory.forget({ ids, signal: control.signal }).catch((error) => error);
    expect(error.errors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
  });

  it.each<[what: string, options: unknown, message: RegExp]>([
    ['no ids', {}, /^`ids` must be an array/],
    ['an id alone', { ids: 'x' }, /^`ids` must be an array/],
    ['an empty id', { ids: ['x', ''] }, /^`ids\[1\]` is empty/],
    ['an entry without id', { ids: [{ content: 'Likes tea.' }] }, /^`ids\[0\]` is not a string/],
    ['null', { ids: [null] }, /^`ids\[0\]` is not a string/],
    ['an unknown store', { ids: [{ id: 'x', storeName: 'nope' }] }, /Unknown stores: "nope"/],
    ['an unknown field', { ids: [], query: 'tea' }, /`query`/],
    ['no options', undefined, /must be an object/],
  ])('refuses %s', async (_, options, message) => {
    const { memory } = await twoStores();
    await expect(memory.forget(options as MemoryForgetOptions)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });

  it('reaches no other user', async () => {
    const { memory, store } = learningManager();
    const { id } = await store.within(['u', 'alice']).add('Likes tea.');
    expect((await memory.for({ user: 'bob' }).forget({ ids: [id] })).notFound).toEqual([id]);
    expect((await memory.forget({ ids: [id] })).notFound).toEqual([id]);
    expect((await memory.for({ user: 'alice' }).forget({ ids: [id] })).forgotten).toHaveLength(1);
  });

  it('lets a forgotten memory be learned again', async () => {
    const { memory, store } = learningManager();
    const turn = (text: string) =>
      memory.turn({ thread: 'monday', messages: [user(text)], answer: () => 'All right.' });
    await turn('I live in Oslo.');
    await memory.flush();
    await turn('Where do I live?');
    const { forgotten } = await memory.forget({ ids: await memory.search('I live in Oslo') });
    expect(contentsOf(forgotten)).toContain('I live in Oslo.');
    await turn('I live in Oslo.');
    await memory.flush();
    expect((await saidIn(store)).filter((one) => one === 'user: I live in Oslo.')).toHaveLength(1);
  });
});

describe('a conversation', () => {
  const questions = ['Which tea do I drink?', 'Which trains do I take?', 'Which cheese do I eat?'];

  /** Asks the questions one after the other, and returns the request of the last one. */
  async function ask(chat: Conversation, ...texts: string[]): Promise<string[]> {
    const history: Message[] = [];
    let request: Message[] = [];
    for (const text of texts) {
      history.push(user(text));
      request = await chat.inject(history);
      history.push(assistant('All right.'));
      await chat.endTurn();
    }
    return request.filter(({ role }) => role === 'user').map(messageText);
  }

  it('no longer shows a memory that was forgotten, and keeps its other blocks', async () => {
    const store = new InMemoryStore({ name: 'personal' });
    const { memory } = managerOf({ stores: [store] });
    const long = `I take trains. ${'On Sundays, I walk along the river with my dog and count the boats. '.repeat(20)}`;
    await store.put({ id: 'tea', content: 'I drink green tea.' });
    await store.put({ id: 'trains', content: long });
    await store.put({ id: 'cheese', content: 'I eat goat cheese.' });
    const [one, two] = [memory.conversation({ id: 'one' }), memory.conversation({ id: 'two' })];
    const before = await ask(one, ...questions);
    expect(before).toEqual([
      expect.stringContaining('green tea'),
      expect.stringContaining('I take trains'),
      expect.stringContaining('goat cheese'),
    ]);
    expect(await ask(two, questions[2] as string)).toEqual([before[2]]);

    await memory.forget({ ids: ['tea', 'trains'] });
    const history = questions.map(user);
    const shown = async (chat: Conversation, from: number) => (await chat.inject(history.slice(from))).map(messageText);
    expect(await shown(one, 0)).toEqual([questions[0], questions[1], before[2]]);
    expect(await shown(two, 2)).toEqual([before[2]]);
  });
});

describe('the forget tool', () => {
  const toolOf = (memory: { tools(): MemoryTool[] }, name = 'forget_memory') =>
    memory.tools().find((one) => one.name === name) as MemoryTool;

  it('is off by default', () => {
    const stores = [new InMemoryStore({ name: 'personal' })];
    const names = managerOf({ stores })
      .memory.tools()
      .map(({ name }) => name);
    expect(names).toEqual(['search_memory', 'read_memory']);
  });

  it('deletes by the ids of the search tool, and says what is gone and what was not found', async () => {
    const { stores, memory } = await twoStores();
    const { entries } = (await toolOf(memory, 'search_memory').execute({ query: 'tea' })) as never;
    const [{ id }] = entries as { id: string }[] as [{ id: string }];
    expect(await toolOf(memory).execute({ ids: [id, 'nope'], stores: ['personal'] })).toEqual({
      forgotten: [{ id, storeName: 'personal', content: 'Likes tea.' }],
      notFound: ['nope'],
    });
    expect(await Promise.all(stores.map(left))).toEqual([['Likes rain.'], ['Likes tea.', 'Likes snow.']]);
  });

  it('shows the beginning of long memories', async () => {
    const { stores, memory } = await twoStores();
    await stores[0].put({ id: 'long', content: `${'x'.repeat(119)}\u{1F600}${'y'.repeat(1_000)}` });
    const { forgotten } = (await toolOf(memory).execute({ ids: ['long'] })) as never as {
      forgotten: [{ content: string }];
    };
    expect(forgotten[0].content).toBe(`${'x'.repeat(119)}…`);
  });

  it('does not reach stores that are read-only, or not named in its settings', async () => {
    const base = new InMemoryStore({ name: 'base' });
    const { id } = await base.within(['team']).add('Likes tea.');
    const stores = [
      base.within(['me'], { name: 'personal' }),
      base.within(['diary'], { name: 'diary' }),
      base.within(['team'], { name: 'team', writable: false }),
    ];
    await stores[1]?.add('Likes tea.');
    const { memory } = managerOf({ stores, forgetToolConfig: { name: 'forget', stores: ['personal'] } });
    const tool = toolOf(memory, 'forget');
    expect(tool.description).toMatch(/\n- personal$/);
    expect(await tool.execute({ ids: [id] })).toEqual({ forgotten: [], notFound: [id] });
    await expect(tool.execute({ ids: [id], stores: ['team'] })).rejects.toThrow('The only stores are: "personal".');
    expect(await base.within(['team']).get(id)).toBeDefined();
    expect(await base.within(['diary']).get(id)).toBeDefined();
  });

  it.each<[what: string, input: object, message: RegExp]>([
    ['no ids', {}, /^ids must be an array of 1 to 50/],
    ['an empty list', { ids: [] }, /^ids must be an array of 1 to 50/],
    ['51 ids', { ids: Array.from({ length: 51 }, String) }, /^ids must be an array of 1 to 50/],
    ['ids that are not texts', { ids: [{}] }, /^ids\[0\] is not a string/],
    ['a user', { ids: ['x'], user: 'bob' }, /^There are only the fields: ids, stores/],
  ])('refuses %s', async (_, input, message) => {
    const { memory } = await twoStores();
    await expect(toolOf(memory).execute(input as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });

  it.each<[what: string, config: object | true, message: RegExp]>([
    [
      'without a store that it can delete from',
      true,
      /^forgetToolConfig needs .* get\(\) and delete\(\); there are: none/,
    ],
    ['with a store that it can not delete from', { stores: ['plain'] }, /^forgetToolConfig/],
    ['with unknown settings', { waitForWrites: true }, /`waitForWrites` in `forgetToolConfig`/],
  ])('is refused %s', (_, forgetToolConfig, message) => {
    const plain: MemoryStore = { name: 'plain', writable: true, search: async () => [], add: async () => {} };
    expect(() => managerOf({ stores: [plain], forgetToolConfig })).toThrow(message);
  });
});
