import { describe, expect, it } from 'vitest';
import {
  contextInjector,
  IdleTrigger,
  IntervalTrigger,
  isMemoryError,
  MemoryManager,
  ModelExtractor,
  recentItems,
} from '../src/index.ts';
import { listStore } from './support/memory-stores.ts';

const stores = [listStore('a')];
const memory = new MemoryManager({ stores });
const session = { getItems: async () => [] } as never;

/** Options with one field as a getter. */
function withGetter(options: object, name: string, get: () => unknown): never {
  return Object.defineProperty({ ...options }, name, { get, enumerable: true }) as never;
}

const calls: [of: string, call: (options: never) => unknown, options: object][] = [
  ['new MemoryManager', (options) => new MemoryManager(options), { stores, deadlineMs: 500 }],
  ['MemoryManager.search', (options) => memory.search('x', options), { maxSearchResults: 1, filter: { a: 1 } }],
  ['MemoryManager.add', (options) => memory.add('x', options), { metadata: {}, stores: ['a'] }],
  ['MemoryManager.conversation', (options) => memory.conversation(options), { id: 'x' }],
  ['MemoryManager.flush', (options) => memory.flush(options), { throwOnFailure: true }],
  ['new ModelExtractor', (options) => new ModelExtractor(options), { instructions: 'x' }],
  ['new IntervalTrigger', (options) => new IntervalTrigger(options), { turns: 1 }],
  ['new IdleTrigger', (options) => new IdleTrigger(options), { idleMs: 1 }],
  ['contextInjector', (options) => contextInjector(options), { render: () => 'x', deadlineMs: 5 }],
  ['recentItems', (options) => recentItems(session, options), { maxItems: 1, maxTurns: 1 }],
];

describe.each(calls)('%s', (_of, call, options) => {
  it('refuses options that throw when they are read', async () => {
    const cause = new Error('From the caller');
    for (const name of Object.keys(options)) {
      const broken = withGetter(options, name, () => {
        throw cause;
      });
      await expect((async () => call(broken))()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', cause });
    }
  });

  it('reads each option once', async () => {
    const outcome = async (given: object) => {
      try {
        await call(given as never);
        return 'done';
      } catch (error) {
        return String(error);
      }
    };
    const expected = await outcome(options);
    for (const [name, value] of Object.entries(options)) {
      let reads = 0;
      const shifting = withGetter(options, name, () => (reads++ === 0 ? value : Symbol('read again')));
      expect(await outcome(shifting), name).toBe(expected);
      expect(reads, name).toBe(1);
    }
  });
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
