import {
  InvocationTrigger,
  isMemoryError,
  type MemoryManagerOptions,
  type Message,
  ModelExtractor,
} from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { managerOf, ScriptedModel, user } from './support.ts';

const at = (content: string, createdAt: string): Message => ({ ...user(content), createdAt });

/** A manager whose model learns nothing, and the prompts that it gets. */
function setUp(options: Partial<MemoryManagerOptions> = {}) {
  const model = new ScriptedModel({ changes: [] });
  const facts = new InMemoryStore({
    name: 'facts',
    extraction: { trigger: new InvocationTrigger(), extractor: new ModelExtractor({ model }) },
  });
  const { memory } = managerOf({ stores: [facts], ...options });
  const days = () =>
    model.requests.map(({ prompt }) => [...prompt.matchAll(/<day date="(.*?)"/g)].map(([, day]) => day));
  return { memory, facts, model, days };
}

describe('messages with their times', () => {
  it('that are learned together each have their day', async () => {
    const { memory, days } = setUp();
    const chat = memory.conversation({ id: 'chat' });
    for (let day = 2; day <= 20; day += 6)
      chat.observe(at('I fly tomorrow.', `2026-03-${`${day}`.padStart(2, '0')}T10:00:00Z`));
    await memory.flush();
    expect(days()).toEqual([['2026-03-02', '2026-03-08', '2026-03-14', '2026-03-20']]);
  });

  it('keep them in turns, in an outbox and after a crash', async () => {
    const outbox = new InMemoryStore({ name: 'outbox' });
    const { memory, facts } = setUp({ outbox });
    // The process ends before anything is saved.
    facts.search = () => new Promise(() => {});
    await memory.turn({
      thread: 'chat',
      messages: [{ ...at('I fly tomorrow.', '2026-03-02T10:00:00Z'), name: 'Bob' }],
      answer: () => ({ role: 'assistant', content: 'Safe travels.', createdAt: '2026-03-03T10:00:00Z' }),
    });
    const later = setUp({ outbox });
    await later.memory.recover();
    expect(later.days()).toEqual([['2026-03-02', '2026-03-03']]);
    expect(later.model.requests[0]?.prompt).toContain('<message role="user" name="Bob">I fly tomorrow.</message>');
  });

  it('are dated in the time zone of the manager, or of a user', async () => {
    const { memory, days } = setUp({ extraction: { timeZone: 'America/New_York' } });
    const say = async (of: typeof memory) => {
      of.conversation({ id: 'chat' }).observe(at('I fly tomorrow.', '2026-03-03T02:30:00Z'));
      await of.flush();
    };
    await say(memory.for({ user: 'alice' }));
    await say(memory.for({ user: 'bob', timeZone: 'Asia/Tokyo' }));
    await say(memory.for({ user: 'bob' }));
    await say(memory.for({ user: 'alice', timeZone: 'UTC' }));
    expect(days().flat()).toEqual(['2026-03-02', '2026-03-03', '2026-03-03', '2026-03-03']);
  });

  it('keep them word for word in a store, with the names of speakers', async () => {
    const chats = new InMemoryStore({ name: 'chats', extraction: true });
    const { memory } = managerOf({ stores: [chats] });
    memory
      .conversation({ id: 'chat' })
      .observe({ ...at('I fly on Monday.', '2026-03-02T10:00:00+01:00'), name: 'Bob' }, user('I hate flying.'));
    await memory.flush();
    const { items } = await chats.list({ order: 'oldest' });
    expect(items).toMatchObject([
      { createdAt: '2026-03-02T09:00:00.000Z', metadata: { role: 'user', name: 'Bob' }, turn: { speaker: 'user' } },
      { metadata: { role: 'user' } },
    ]);
    expect(items[1]?.createdAt).not.toContain('2026-03-02');
  });

  it.each([
    ['createdAt', { createdAt: 'yesterday' }],
    ['createdAt', { createdAt: '2026-03-02T10:00:00' }],
    ['name', { name: 7 }],
  ])('are refused with an invalid %s', (field, fields) => {
    const { memory } = setUp();
    const observe = () => memory.conversation({ id: 'chat' }).observe({ ...user('Hi'), ...(fields as object) });
    expect(observe).toThrow(new RegExp(`\\.${field} must be`));
  });

  it.each(['Lisbon', '', 'Europe/Lisbonne'])('are refused in the time zone %j', (timeZone) => {
    const refused = (call: () => unknown) => {
      try {
        return call();
      } catch (error) {
        return isMemoryError(error, 'INVALID_ARGUMENT') && error.message;
      }
    };
    const message = "timeZone` must be a time zone, such as 'Europe/Lisbon'";
    expect(refused(() => setUp({ extraction: { timeZone } }))).toContain(message);
    expect(refused(() => setUp().memory.for({ user: 'alice', timeZone }))).toContain(message);
  });
});

describe('a long message', () => {
  it('is learned to its end, and only then counts as saved', async () => {
    let isDown = false;
    const model = new ScriptedModel((prompt) => {
      if (isDown && prompt.includes('saffron')) throw Object.assign(new Error('Busy.'), { status: 503 });
      const found = prompt.match(/allergic to \w+/g) ?? [];
      return { changes: found.map((content) => ({ action: 'add', id: null, content: `They are ${content}.` })) };
    });
    const facts = new InMemoryStore({ name: 'facts', extraction: { extractor: new ModelExtractor({ model }) } });
    const { memory } = managerOf({ stores: [facts] });
    const paste = 'A line of a log.\n'.repeat(4_000);
    memory.conversation({ id: 'chat' }).observe(user(`I am allergic to nuts. ${paste} I am allergic to saffron.`));
    isDown = true;
    expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
    isDown = false;
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    const { items } = await facts.list({ order: 'oldest' });
    expect(items.map(({ content }) => content)).toEqual([
      'They are allergic to nuts.',
      'They are allergic to saffron.',
    ]);
  });
});
