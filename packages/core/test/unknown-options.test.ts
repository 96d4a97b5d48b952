import { describe, expect, it } from 'vitest';
import {
  contextInjector,
  IdleTrigger,
  IntervalTrigger,
  MemoryManager,
  ModelExtractor,
  recentItems,
} from '../src/index.ts';
import { listStore } from './support/memory-stores.ts';

const stores = [listStore('a')];
const memory = new MemoryManager({ stores });
const chat = memory.conversation();
const session = { getItems: async () => [] } as never;

describe('refuses unknown options and suggests the nearest', () => {
  it.each<[of: string, call: (options: never) => unknown, options: object, nearest: string]>([
    ['new MemoryManager', (options) => new MemoryManager(options), { stores, addToolConfg: true }, 'addToolConfig'],
    ['MemoryManager.search', (options) => memory.search('x', options), { maxSearchResult: 1 }, 'maxSearchResults'],
    ['MemoryManager.add', (options) => memory.add('x', options), { metaData: {} }, 'metadata'],
    ['MemoryManager.conversation', (options) => memory.conversation(options), { ID: 'x' }, 'id'],
    ['MemoryManager.turn', (options) => memory.turn(options), { thraed: 'x' }, 'thread'],
    ['MemoryManager.for', (options) => memory.for(options), { users: 'alice' }, 'user'],
    ['MemoryManager.list', (options) => memory.list(options), { limits: 1 }, 'limit'],
    ['MemoryManager.forget', (options) => memory.forget(options), { ids: [], store: 'a' }, 'stores'],
    ['MemoryManager.deadLetters', (options) => memory.deadLetters(options), { cursr: 'x' }, 'cursor'],
    ['MemoryManager.flush', (options) => memory.flush(options), { throwOnFail: true }, 'throwOnFailure'],
    ['Conversation.endTurn', (options) => chat.endTurn(options), { faild: true }, 'failed'],
    ['new ModelExtractor', (options) => new ModelExtractor(options), { instruction: 'x' }, 'instructions'],
    ['new IntervalTrigger', (options) => new IntervalTrigger(options), { turns: 1, turn: 1 }, 'turns'],
    ['new IdleTrigger', (options) => new IdleTrigger(options), { idleMs: 1, idleMS: 1 }, 'idleMs'],
    ['contextInjector', (options) => contextInjector(options), { render: () => 'x', deadLineMs: 5 }, 'deadlineMs'],
    ['recentItems', (options) => recentItems(session, options), { maxItem: 1 }, 'maxItems'],
  ])('%s', async (_, call, options, nearest) => {
    const misspelt = Object.keys(options).at(-1);
    await expect((async () => call(options as never))()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(`^Unknown option \`${misspelt}\`.* Did you mean \`${nearest}\`\\?$`),
    });
  });
});
