import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IntervalTrigger, MemoryError, MemoryManager, type MemoryStore } from '../../src/index.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { listStore, throwingStore } from '../support/memory-stores.ts';

function managerOf(...stores: MemoryStore[]) {
  const logger = memoryLogger();
  return { memory: new MemoryManager({ stores, telemetry: { logger } }), logger };
}

const turnOf = (memory: MemoryManager, content = 'I have moved to Lisbon.') =>
  memory.turn({ thread: 'chat', messages: [{ role: 'user', content }], answer: () => 'Congratulations on the move.' });

describe('extraction that was forgotten', () => {
  const withPlaces = (extraction?: boolean): MemoryStore => {
    const store = listStore('facts', [], { ...(extraction !== undefined && { extraction }), namespace: [] } as object);
    return Object.assign(store, { within: () => store });
  };

  it('is said once, with what to write, however many users and turns there are', async () => {
    const { memory, logger } = managerOf(withPlaces());
    for (const user of ['alice', 'bob']) {
      for (let turn = 0; turn < 3; turn++) await turnOf(memory.for({ user }));
    }
    expect(await memory.flush()).toEqual({});
    expect(logger.lines).toEqual([
      'Nothing is learned from conversations, because no store has `extraction`. Give the store "facts" `extraction: true`, or `extraction: false` if that is meant.',
    ]);
  });

  it.each<[string, MemoryStore]>([
    ['it is off', withPlaces(false)],
    ['no store can be written to', listStore('facts', [], { writable: false })],
  ])('is not said if %s', async (_, store) => {
    const { memory, logger } = managerOf(store);
    await turnOf(memory);
    expect(logger.lines).toEqual([]);
  });

  it('is not said if nothing is observed, or another store learns', async () => {
    const searching = managerOf(listStore('facts'));
    await searching.memory.search('Lisbon');
    expect(searching.logger.lines).toEqual([]);
    const learning = listStore('chats', [], { extraction: true, addMessages: async () => {} });
    const both = managerOf(listStore('facts'), learning);
    await turnOf(both.memory);
    await both.memory.flush();
    expect(both.logger.lines).toEqual([]);
  });
});

describe('a conversation that never ends a turn', () => {
  const observe = (turns: number, trigger?: object) => {
    const extraction = trigger === undefined ? true : { trigger };
    const store = listStore('chats', [], { extraction, addMessages: async () => {} });
    const { memory, logger } = managerOf(store);
    const chat = memory.conversation({ id: 'chat' });
    for (let n = 0; n < 300; n++) {
      chat.observe({ role: 'user', content: `I have moved to city ${n}.` });
      if (n < turns) void chat.endTurn();
    }
    return logger.lines;
  };

  it('is said once, because no trigger has fired', () => {
    expect(observe(0)).toEqual([
      expect.stringMatching(/^A conversation has 100 messages and no ended turn, so.*endTurn/),
    ]);
  });

  it('is not said after the end of a turn, or if a trigger listens to messages', () => {
    expect(observe(1, new IntervalTrigger({ turns: 5 }))).toEqual([]);
    const onMessages = ({ conversation }: { conversation: { onMessages(listener: () => void): void } }) =>
      conversation.onMessages(() => {});
    expect(observe(0, { name: 'own', attach: onMessages })).toEqual([]);
  });
});

describe('the log of a failing store', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const refused = () => Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:6379'), { code: 'ECONNREFUSED' });
  const unreachable = (message: string) => new MemoryError('BACKEND', message, { cause: refused() });

  it('says what the store says, with the code of the cause, once a minute', async () => {
    const store = throwingStore('facts', unreachable('Redis could not be reached. Start it.'));
    const { memory, logger } = managerOf(store);
    const line = 'Memory store "facts" failed: search (BACKEND, ECONNREFUSED). Redis could not be reached. Start it.';
    for (let n = 0; n < 5; n++) await expect(memory.search('tea')).rejects.toThrow();
    expect(logger.lines).toEqual([line]);
    vi.advanceTimersByTime(60_000);
    for (let n = 0; n < 5; n++) await expect(memory.search('tea')).rejects.toThrow();
    expect(logger.lines).toEqual([line, line]);
  });

  it('has one line for each store and cause', async () => {
    const errors = [unreachable('One.'), unreachable('Two.'), unreachable('One.')];
    const a = listStore('a', [], { search: () => Promise.reject(errors.shift()) });
    const b = throwingStore('b', unreachable('One.'));
    const { memory, logger } = managerOf(a, b);
    for (let n = 0; n < 3; n++) await expect(memory.search('tea')).rejects.toThrow();
    expect(logger.lines.toSorted()).toEqual([
      'Memory store "a" failed: search (BACKEND, ECONNREFUSED). One.',
      'Memory store "a" failed: search (BACKEND, ECONNREFUSED). Two.',
      'Memory store "b" failed: search (BACKEND, ECONNREFUSED). One.',
    ]);
  });

  it('has no messages of other errors, which may quote what was asked for', async () => {
    for (const [error, reason] of [
      [new TypeError('no tea for Alice'), '(TypeError).'],
      [new MemoryError('INVALID_ARGUMENT', 'no tea for Alice'), '(INVALID_ARGUMENT).'],
      [
        new MemoryError('BACKEND', 'Down.', { cause: Object.assign(new Error('x'), { code: 'tea for Alice' }) }),
        '(BACKEND). Down.',
      ],
    ] as const) {
      const { memory, logger } = managerOf(throwingStore('facts', error));
      await expect(memory.search('tea')).rejects.toThrow();
      expect(logger.lines).toEqual([`Memory store "facts" failed: search ${reason}`]);
    }
  });
});

describe('ready', () => {
  it('rejects with the error of the store that can not be used, and resolves once it can', async () => {
    const down = new MemoryError('BACKEND', 'Run the migrations.');
    const initialized: string[] = [];
    const store = listStore('facts', [], {
      async initialize() {
        initialized.push('facts');
        if (initialized.length === 1) throw down;
      },
    } as object);
    const notes = listStore('notes');
    const { memory, logger } = managerOf(notes, store);
    await expect(memory.ready()).rejects.toBe(down);
    await Promise.all([memory.ready(), memory.ready()]);
    await memory.ready();
    expect(initialized).toHaveLength(2);
    expect(notes.searches).toHaveLength(2);
    expect(logger.lines).toEqual([]);
  });

  it('stops waiting when its signal is aborted', async () => {
    const { memory } = managerOf(listStore('facts', [], { search: () => new Promise(() => {}) }));
    const controller = new AbortController();
    const ready = memory.ready({ signal: controller.signal });
    controller.abort();
    await expect(ready).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(memory.ready({ signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
