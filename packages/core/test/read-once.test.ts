import { readsValuesOnce } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import {
  contextInjector,
  IdleTrigger,
  IntervalTrigger,
  isMemoryError,
  MemoryManager,
  type MemoryManagerOptions,
  type MemoryStore,
  ModelExtractor,
  recentItems,
} from '../src/index.ts';
import { listStore } from './support/memory-stores.ts';

const trigger = new IntervalTrigger({ turns: 1 });
const extractor = new (class {
  async extract() {
    return [];
  }
})();

/** A store that is passed by reference: not a plain object. */
class Store {
  readonly name: string = 'a';
  readonly writable = true;
  readonly records = [{ id: '1', content: 'tea', metadata: { a: 1 }, version: 1, createdAt: '', updatedAt: '' }];
  readonly capabilities = { enumerate: true };
  extraction: MemoryStore['extraction'];

  async search(_query: string, options: object) {
    return [{ content: JSON.stringify(options), metadata: { a: 1 } }];
  }

  async add(content: string, metadata: object) {
    return { content, metadata: { ...metadata } };
  }

  async addMessages() {}

  async get(id: string) {
    return this.records.find((record) => record.id === id);
  }

  async list(options: object) {
    return { items: this.records.map((record) => ({ ...record, content: JSON.stringify(options) })) };
  }

  async delete() {
    return true;
  }

  within() {
    return this;
  }
}

const store = new Store() as unknown as MemoryStore;
const memory = new MemoryManager({ stores: [store] });
const session = { getItems: async () => [] } as never;

/** The tools and the injected text of a manager, which show its nested configurations. */
async function shownBy(options: MemoryManagerOptions) {
  const manager = new MemoryManager(options);
  const [search] = manager.tools();
  const messages = [{ role: 'user' as const, content: 'What do I drink in the morning?' }];
  return {
    tools: manager.tools().map(({ name, description }) => ({ name, description })),
    found: await search?.execute({ query: 'tea' }),
    block: await manager.conversation({ id: 'x' }).block(messages),
  };
}

/** A manager of a store with this extraction, which saves one message. */
async function savedBy(extraction: object) {
  const fed = Object.assign(new Store(), { extraction }) as unknown as MemoryStore;
  const manager = new MemoryManager({ stores: [fed] });
  manager.conversation({ id: 'x' }).observe({ role: 'user', content: [{ text: 'tea' }, { reasoning: 'tea' }] });
  return manager.flush();
}

const searchToolConfig = { name: 'find', description: 'Finds.', maxTokens: 100 };
const addToolConfig = { name: 'keep', description: 'Keeps.', stores: ['a', store], waitForWrites: false };
const forgetToolConfig = { name: 'drop', description: 'Drops.', stores: ['a'] };
const injection = {
  trigger: 'everyTurn',
  maxEntries: 2,
  maxTokens: 100,
  maxConversationTokens: 1_000,
  minScore: 0,
  query: () => 'tea',
  format: () => 'found',
} as const;
const options = {
  stores: [store],
  searchToolConfig,
  addToolConfig,
  forgetToolConfig,
  injection,
  search: { deadlineMs: 500, ranking: 'registration' },
  extraction: { maxBuffered: 10, timeZone: 'UTC' },
  telemetry: { recordContent: true },
} as const;
const message = { role: 'user' as const, content: [{ text: 'Hi' }] };
const turn = {
  thread: 't',
  messages: [message],
  answer: (messages: object) => ({ role: 'assistant', content: JSON.stringify(messages) }),
};
const chat = memory.conversation({ id: 'x' });

readsValuesOnce([
  ['new MemoryManager', shownBy, options],
  ['extraction', savedBy, { trigger: [trigger], extractor, filter: { exclude: ['reasoning'] }, deadlineMs: 5_000 }],
  [
    'MemoryManager.search',
    (given) => memory.search('x', given),
    { stores: ['a'], maxSearchResults: 1, filter: { a: { in: [1] } } },
  ],
  ['MemoryManager.add', (given) => memory.add('x', given), { metadata: { a: [1] }, stores: ['a'] }],
  ['MemoryManager.list', (given) => memory.list(given), { stores: ['a'], limit: 1, filter: { a: { in: [1] } } }],
  ['MemoryManager.forget', (given) => memory.forget(given), { ids: ['2', { id: '1', storeName: 'a' }], stores: ['a'] }],
  ['MemoryManager.turn', (given) => memory.turn(given), turn],
  ['MemoryManager.for', (given) => memory.for(given).tools().length, { user: 'alice' }],
  ['MemoryManager.conversation', (given) => memory.conversation(given).id, { id: 'x' }],
  ['MemoryManager.flush', (given) => memory.flush(given), { throwOnFailure: true }],
  ['MemoryManager.deadLetters', (given) => memory.deadLetters(given), { limit: 1 }],
  ['MemoryManager.retryDeadLetters', (ids) => memory.retryDeadLetters(ids), ['a']],
  ['MemoryManager.deleteDeadLetters', (ids) => memory.deleteDeadLetters(ids), ['a']],
  ['Conversation.endTurn', (given) => chat.endTurn(given), { failed: true }],
  ['new ModelExtractor', (given) => new ModelExtractor(given), { instructions: 'x' }],
  ['new IntervalTrigger', (given) => new IntervalTrigger(given), { turns: 1 }],
  ['new IdleTrigger', (given) => new IdleTrigger(given), { idleMs: 1 }],
  ['contextInjector', (given) => contextInjector(given).block([message]), { render: () => 'x', deadlineMs: 5 }],
  ['recentItems', (given) => recentItems(session, given), { maxItems: 1, maxTurns: 1 }],
]);

describe('Conversation.inject', () => {
  const cause = new Error('From the caller');
  const fail = () => {
    throw cause;
  };

  it('adds nothing if its options throw when they are read', async () => {
    const given = Object.defineProperty({}, 'signal', { get: fail });
    expect(await chat.inject([message], given)).toEqual([message]);
    expect(await chat.blocks([message], given)).toEqual([]);
    expect(await chat.block([message], given)).toBeUndefined();
  });
});

describe('new MemoryManager', () => {
  it.each(['name', 'description', 'writable', 'search', 'maxSearchResults', 'extraction'])(
    'refuses a store whose %s throws when it is read',
    (name) => {
      const cause = new Error('From the caller');
      const broken = listStore('a');
      Object.defineProperty(broken, name, {
        get() {
          throw cause;
        },
      });
      const open = () => new MemoryManager({ stores: [broken] });
      expect(open).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', cause }));
    },
  );
});

describe('isMemoryError', () => {
  it('returns false for a proxy that was revoked, and one that throws', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throwing = new Proxy(
      {},
      {
        has() {
          throw new Error('From the caller');
        },
      },
    );
    expect(isMemoryError(proxy)).toBe(false);
    expect(isMemoryError(throwing, 'BACKEND')).toBe(false);
  });
});
