import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InvocationTrigger, type MemoryStore, type Message, messageText } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { managerOf, user } from '../extraction/support.ts';
import { contentsOf, learningManager, learningStore, saidIn } from './support.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const thread = 'monday';
const NAMES = [
  'alice',
  'Alice',
  'a*',
  'a:b',
  'a',
  'b',
  'u',
  '../alice',
  'alice%',
  'keepsake-outbox',
  '\u{1F600}',
  'x'.repeat(256),
];

describe('for', () => {
  it('gives each user a memory of their own, in each of two stores', async () => {
    const stores = [learningStore('chats'), new InMemoryStore({ name: 'facts' })];
    const { memory } = managerOf({ stores });
    for (const name of NAMES) {
      const own = memory.for({ user: name });
      await own.turn({ thread, messages: [user(`I am ${name}.`)], answer: () => 'Welcome on board.' });
      await own.add(`The user is ${name}.`, { stores: ['facts'] });
    }
    await memory.flush();
    for (const name of NAMES) {
      const manager = memory.for({ user: name });
      expect(contentsOf((await manager.list({ stores: ['chats'] })).items)).toEqual([
        'Welcome on board.',
        `I am ${name}.`,
      ]);
      expect(contentsOf((await manager.list({ stores: ['facts'] })).items)).toEqual([`The user is ${name}.`]);
      const found = await manager.search('Hello, who is the user?', { maxSearchResults: 100 });
      expect(contentsOf(found)).toContain(`The user is ${name}.`);
      const own = ['Welcome on board.', `I am ${name}.`, `The user is ${name}.`];
      expect(contentsOf(found).filter((content) => !own.includes(content))).toEqual([]);
    }
    expect((await memory.list()).items).toEqual([]);
  });

  it('refuses the store of one user, in which it would make a second place, but not that of a tenant called u', async () => {
    const { memory } = managerOf({ stores: [new InMemoryStore({ name: 'facts', namespace: ['u', 'alice'] })] });
    expect(() => memory.for({ user: 'alice' })).toThrow(/^Store "facts" is in "u:alice", the place of one user\. Give/);
    const store = new InMemoryStore({ name: 'facts', namespace: ['tenants', 'u'] });
    const tenant = managerOf({ stores: [store.within(['agent', 'bot'])] });
    await tenant.memory.for({ user: 'alice' }).add('Likes tea.');
    expect((await store.namespaces({ limit: 9 })).items.map(({ namespace }) => namespace)).toEqual([
      ['tenants', 'u', 'agent', 'bot', 'u', 'alice'],
    ]);
  });

  it('uses the place of a user in @keepsake/namespaces', async () => {
    const { memory, store } = learningManager();
    await memory.for({ user: 'alice' }).add('Likes tea.');
    expect(contentsOf((await store.within(['u', 'alice']).list()).items)).toEqual(['Likes tea.']);
  });

  it('injects only what is known about that user', async () => {
    const { memory } = learningManager();
    await memory.for({ user: 'alice' }).add('The user drinks tea in the morning.');
    await memory.for({ user: 'bob' }).add('The user drinks coffee in the morning.');
    const question = [user('What does the user drink in the morning?')];
    const asked = (name: string) =>
      memory
        .for({ user: name })
        .turn({ thread, messages: question, answer: ([first]) => messageText(first as Message) });
    expect(await asked('alice')).toMatch(/tea/);
    expect(await asked('alice')).not.toMatch(/coffee/);
    expect(await asked('bob')).toMatch(/coffee/);
    expect(await asked('carol')).toBe('What does the user drink in the morning?');
  });

  it('returns the same manager for the same user, which counts turns and remembers conversations', () => {
    const { memory } = learningManager();
    const alice = memory.for({ user: 'alice' });
    expect(memory.for({ user: 'alice' })).toBe(alice);
    expect(memory.for({ user: 'bob' })).not.toBe(alice);
    expect(memory.for({ user: 'alice' }).conversation({ id: thread })).toBe(alice.conversation({ id: thread }));
    expect(memory.for({ user: 'bob' }).conversation({ id: thread })).not.toBe(alice.conversation({ id: thread }));
  });

  it('keeps the options: tools with their names and stores, injection, and read-only stores', async () => {
    const personal = new InMemoryStore({ name: 'personal' });
    const team = new InMemoryStore({ name: 'team', writable: false });
    const diary = new InMemoryStore({ name: 'diary' });
    const { memory } = managerOf({
      stores: [personal, team, diary],
      injection: false,
      searchToolConfig: { name: 'recall' },
      addToolConfig: { name: 'remember', stores: [personal] },
      forgetToolConfig: { stores: [personal, 'diary'] },
    });
    const alice = memory.for({ user: 'alice' });
    const described = (one: typeof memory) => one.tools().map(({ execute: _, ...tool }) => tool);
    expect(described(alice)).toEqual(described(memory));
    await alice.tools()[2]?.execute({ entries: ['Likes tea.'] });
    expect(contentsOf((await personal.within(['u', 'alice']).list()).items)).toEqual(['Likes tea.']);
    expect((await diary.list({ descendants: true })).items).toEqual([]);
    await expect(alice.add('x', { stores: ['team'] })).rejects.toMatchObject({ code: 'READ_ONLY' });
    const question = [user('What does the user like? Tea?')];
    expect(await alice.conversation().inject(question)).toEqual(question);
  });

  it('is not changed by a change of the options', async () => {
    const stores = [learningStore()];
    const { memory } = managerOf({ stores });
    stores.push(learningStore('other'));
    await memory.for({ user: 'alice' }).add('Likes tea.');
    expect((await stores[1]?.list({ descendants: true }))?.items).toEqual([]);
  });

  it.each<[what: string, options: unknown, message: RegExp]>([
    ['no user', {}, /^`user` is not a string/],
    ['an empty user', { user: '' }, /^`user` is empty/],
    ['a user of 257 characters', { user: 'x'.repeat(257) }, /longer than 256/],
    ['NUL', { user: 'a\0' }, /NUL/],
    ['a lone surrogate', { user: '\ud800' }, /surrogate/],
    ['null', { user: null }, /not a string/],
    ['an unknown field', { user: 'alice', userId: 'bob' }, /`userId`/],
    ['no options', undefined, /must be an object/],
  ])('refuses %s', (_, options, message) => {
    const { memory } = learningManager();
    expect(() => memory.for(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });

  it('refuses stores without within, by name', () => {
    const plain: MemoryStore = { name: 'plain', writable: false, search: async () => [] };
    const { memory } = managerOf({ stores: [new InMemoryStore({ name: 'personal' }), plain] });
    expect(() => memory.for({ user: 'alice' })).toThrow(/^Store "plain" has no within\(\).*a manager per user/);
  });

  it('refuses a user of a user', () => {
    const { memory } = learningManager();
    expect(() => memory.for({ user: 'alice' }).for({ user: 'bob' })).toThrow(/^This is the manager of a user/);
  });
});

describe('the managers of users', () => {
  const observe = (memory: ReturnType<typeof learningManager>['memory'], name: string) =>
    memory
      .for({ user: name })
      .conversation({ id: thread })
      .observe(user(`I am ${name}.`));

  it('are flushed with the manager that they come from, alone or together', async () => {
    const { memory, store } = learningManager();
    for (const name of ['alice', 'bob']) observe(memory, name);
    expect(await memory.for({ user: 'alice' }).flush()).toEqual({ personal: { saved: 1, failed: 0 } });
    expect(await saidIn(store.within(['u', 'bob']))).toEqual([]);
    memory.conversation().observe(user('I am nobody.'));
    expect(await memory.flush()).toEqual({ personal: { saved: 2, failed: 0 } });
    expect(await saidIn(store.within(['u', 'bob']))).toEqual(['user: I am bob.']);
    expect(await memory.flush()).toEqual({ personal: { saved: 0, failed: 0 } });
  });

  it('make flush throw with throwOnFailure if a store fails for one of them', async () => {
    const store = new DownFor('bob', { name: 'personal', extraction: { trigger: new InvocationTrigger() } });
    const { memory } = managerOf({ stores: [store] });
    for (const name of ['alice', 'bob']) observe(memory, name);
    expect(await memory.flush()).toEqual({ personal: { saved: 1, failed: 1 } });
    await expect(memory.flush({ throwOnFailure: true })).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringMatching(/"personal" \(1\)/),
    });
  });

  it('stay open when they are disposed of, because others use them, and close with the manager', async () => {
    const { memory, store } = learningManager();
    const alice = memory.for({ user: 'alice' });
    observe(memory, 'alice');
    await alice[Symbol.asyncDispose]();
    expect(await saidIn(store.within(['u', 'alice']))).toEqual(['user: I am alice.']);
    observe(memory, 'alice');
    observe(memory, 'bob');
    await memory[Symbol.asyncDispose]();
    expect(await saidIn(store.within(['u', 'bob']))).toEqual(['user: I am bob.']);
    const closed = expect.objectContaining({ code: 'CLOSED' });
    expect(() => alice.conversation({ id: thread }).observe(user('Still there?'))).toThrow(closed);
    expect(() => memory.for({ user: 'carol' })).toThrow(closed);
  });

  it('lose nothing when there are more than are kept, whoever holds them, and take no memory for good', async () => {
    const store = new InMemoryStore({ name: 'personal', extraction: true });
    const { memory } = managerOf({ stores: [store] });
    const first = memory.for({ user: 'first' });
    const chat = first.conversation({ id: thread });
    const weak: WeakRef<object>[] = [];
    for (let index = 0; index < 1_500; index++) {
      const own = memory.for({ user: `user ${index}` });
      // Every 5 turns, so nothing is saved before the flush, unless it is saved early.
      own.conversation({ id: thread }).observe(user(`I am number ${index}.`));
      weak.push(new WeakRef(own));
      if (index % 100 === 0) await new Promise(setImmediate);
    }
    // Released long ago, and still flushed.
    chat.observe(user('I was first.'));
    const saved = async () => (await store.namespaces({ limit: 1_000 })).items.length;
    await expect.poll(saved).toBeGreaterThan(400);
    await memory.flush();
    const { items } = await store.list({ descendants: true, limit: 1_000 });
    expect(items).toHaveLength(1_000);
    let count = 0;
    for (let index = 0; index < 1_500; index++) {
      count += (await store.within(['u', `user ${index}`]).list()).items.length;
    }
    expect(count).toBe(1_500);
    expect(await saidIn(store.within(['u', 'first']))).toEqual(['user: I was first.']);
    const alive = () => {
      collectGarbage();
      return weak.filter((one) => one.deref() !== undefined).length;
    };
    // 1,000 are kept, and the engine itself may still refer to a few more.
    await expect.poll(alive).toBeLessThan(1_250);
  });
});

describe('the outbox of users', () => {
  it('is below the outbox, apart for each user, and recovered with the manager', async () => {
    const store = learningStore();
    const outbox = new InMemoryStore({ name: 'outbox' });
    const killed = managerOf({ stores: [store], outbox }).memory;
    for (const name of ['alice', 'a*']) {
      const chat = killed.for({ user: name }).conversation({ id: thread });
      chat.observe(user(`I am ${name}.`));
      await chat.endTurn({ failed: true });
    }
    killed.conversation({ id: thread }).observe(user('I am nobody.'));
    await killed.conversation({ id: thread }).endTurn({ failed: true });
    const namespaces = (await outbox.namespaces()).items.map(({ namespace }) => namespace);
    expect(namespaces).toContainEqual(['keepsake-outbox', 'u', 'alice', 'keepsake-outbox']);

    const { memory } = managerOf({ stores: [store], outbox });
    expect(await memory.for({ user: 'alice' }).recover()).toEqual({ personal: { saved: 1, failed: 0 } });
    expect(await saidIn(store.within(['u', 'alice']))).toEqual(['user: I am alice.']);
    expect(await saidIn(store.within(['u', 'a*']))).toEqual([]);
    expect(await memory.recover()).toEqual({ personal: { saved: 2, failed: 0 } });
    expect(await saidIn(store.within(['u', 'a*']))).toEqual(['user: I am a*.']);
    expect(await saidIn(store)).toEqual(['user: I am nobody.']);
    expect((await outbox.list({ descendants: true })).items).toEqual([]);
  });

  it('is not looked for where stores have no places for users', async () => {
    const outbox = new InMemoryStore({ name: 'outbox' });
    const killed = managerOf({ stores: [learningStore()], outbox }).memory;
    killed.for({ user: 'alice' }).conversation({ id: thread }).observe(user('I am alice.'));
    await killed.for({ user: 'alice' }).conversation({ id: thread }).endTurn({ failed: true });
    const plain: MemoryStore = { name: 'plain', writable: false, search: async () => [] };
    expect(await managerOf({ stores: [plain], outbox }).memory.recover()).toEqual({});
  });
});

/** A store that writes nothing for one user. */
class DownFor extends InMemoryStore {
  readonly #user: string;

  constructor(user: string, options: ConstructorParameters<typeof InMemoryStore>[0]) {
    super(options);
    this.#user = user;
  }

  override within(...[place, identity]: Parameters<InMemoryStore['within']>): ReturnType<InMemoryStore['within']> {
    const store = super.within(place, identity);
    if (place.includes(this.#user)) store.addMessages = () => Promise.reject(new Error('disk full'));
    return store;
  }
}
