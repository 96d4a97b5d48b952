import { getEventListeners } from 'node:events';
import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { MemoryManager, type MemoryManagerOptions, type MemoryStore, type StoreFailure } from '../../src/index.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { contentsOf, garbageStore, hangingStore, listStore, throwingStore } from '../support/memory-stores.ts';

function managerOf(stores: readonly MemoryStore[], options: Partial<MemoryManagerOptions> = {}) {
  const failures: StoreFailure[] = [];
  const logger = memoryLogger();
  const onStoreError = (failure: StoreFailure) => void failures.push(failure);
  const memory = new MemoryManager({
    stores,
    telemetry: { logger, onStoreError },
    search: { deadlineMs: 50 },
    ...options,
  });
  return { memory, failures, logger };
}

describe('search', () => {
  it('searches the stores concurrently', async () => {
    const both = Promise.withResolvers<void>();
    let asked = 0;
    const meeting = (name: string) =>
      listStore(name, [], {
        async search() {
          if (++asked === 2) both.resolve();
          await both.promise;
          return [{ content: name }];
        },
      });
    const { memory } = managerOf([meeting('a'), meeting('b')], { search: { deadlineMs: 60_000 } });
    expect(contentsOf(await memory.search('q'))).toEqual(['a', 'b']);
  });

  it('adds the store name to each entry, without changing the objects of the store', async () => {
    const entry = { content: 'tea', metadata: { topic: 'drinks' }, score: 0.5, storeName: 'other' };
    const { memory } = managerOf([listStore('personal', [entry])]);
    expect(await memory.search('q')).toEqual([{ ...entry, storeName: 'personal' }]);
    expect(entry.storeName).toBe('other');
  });

  it('leaves out a score and an excerpt of another shape, which stores of others may return', async () => {
    const shape = { text: 'tea', start: 0, end: 3 };
    const odd = [
      { content: 'tea', score: {}, excerpt: { text: {}, start: 0, end: 3 } },
      { content: 'tea at noon', score: 2, excerpt: shape },
      { content: 'tea at night', score: null, excerpt: null },
    ] as never[];
    const { memory } = managerOf([listStore('theirs', odd)]);
    const found = await memory.search('q', { maxSearchResults: 3 });
    expect(found.map(({ score, excerpt }) => [score, excerpt])).toEqual([
      [undefined, undefined],
      [2, shape],
      [undefined, undefined],
    ]);
    expect(await memory.conversation().block([{ role: 'user', content: 'Do I like tea?' }])).toContain('tea');
  });

  it('uses the limit of the call, or else of the store, or else 3', async () => {
    const six = ['1', '2', '3', '4', '5', '6'];
    const plain = listStore('plain', six);
    const own = listStore('own', six, { maxSearchResults: 5 });
    const { memory } = managerOf([plain, own]);
    await memory.search('q');
    await memory.search('q', { maxSearchResults: 2 });
    expect(plain.searches.map(({ options }) => options.maxSearchResults)).toEqual([3, 2]);
    expect(own.searches.map(({ options }) => options.maxSearchResults)).toEqual([5, 2]);
  });

  it('cuts the results of each store to its limit, and all results to the limit of the call', async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ content: `fact ${index}` }));
    const { memory } = managerOf([garbageStore('a', many), listStore('b', ['x', 'y'])]);
    expect(await memory.search('q')).toHaveLength(5);
    expect(await memory.search('q', { maxSearchResults: 4 })).toHaveLength(4);
  });

  it('passes on filter and minScore, and applies them if a store ignores them', async () => {
    const entries = [
      { content: 'low', metadata: { user: 'alice' }, score: 0.1 },
      { content: 'hers', metadata: { user: 'alice' }, score: 0.9, createdAt: '2026-11-03T00:00:00.000Z' },
      { content: 'unscored', metadata: { user: 'alice' } },
      { content: 'his', metadata: { user: 'bob' }, score: 0.9 },
      { content: 'nobodys', score: 0.9 },
    ];
    const store = listStore('a', entries, { maxSearchResults: 10 });
    const { memory } = managerOf([store]);
    const filter = { user: 'alice', expiresAt: { exists: true } };
    const found = await memory.search('q', { filter, minScore: 0.5 });
    expect(contentsOf(found)).toEqual(['hers', 'unscored']);
    expect(store.searches[0]?.options).toMatchObject({ filter, minScore: 0.5 });
    expect(contentsOf(await memory.search('q', { filter: { createdAt: { lt: '2027-01-01' } } }))).toEqual(['hers']);
  });

  it.each([
    [{ filter: { a: undefined } as never }, /^filter\.<field 1> is undefined/],
    [{ maxSearchResults: 0 }, /^maxSearchResults must be/],
    [{ minScore: Number.NaN }, /^minScore must be/],
    [{ stores: 'a' as never }, /^stores must be an array/],
    [{ stores: ['a', 'nope', 'x'] }, /^Unknown stores: "nope", "x"\. There are: "a", "b"\.$/],
  ])('refuses %o', async (options, message) => {
    const a = listStore('a', ['x']);
    const { memory } = managerOf([a, listStore('b')]);
    await expect(memory.search('q', options)).rejects.toEqual(memoryError('INVALID_ARGUMENT', message));
    expect(a.searches).toEqual([]);
  });

  it('refuses a query that is not a string', async () => {
    const { memory } = managerOf([listStore('a')]);
    await expect(memory.search(7 as never)).rejects.toEqual(memoryError('INVALID_ARGUMENT', /query/));
  });

  it('searches the named stores, and none for an empty list', async () => {
    const [a, b] = [listStore('a', ['in a']), listStore('b', ['in b'])];
    const { memory } = managerOf([a, b]);
    expect(contentsOf(await memory.search('q', { stores: ['b', 'b'] }))).toEqual(['in b']);
    expect(await memory.search('q', { stores: [] })).toEqual([]);
    expect(a.searches).toEqual([]);
    expect(b.searches).toHaveLength(1);
  });
});

describe('ranking', () => {
  it('fuses by rank: the best entry of the last store comes before the worst of the first', async () => {
    const { memory } = managerOf([listStore('a', ['a1', 'a2', 'a3']), listStore('b', ['b1', 'b2'])]);
    expect(contentsOf(await memory.search('q'))).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
    expect(contentsOf(await memory.search('q', { maxSearchResults: 2 }))).toEqual(['a1', 'b1']);
  });

  it('raises entries that several stores return, and returns them once', async () => {
    const { memory } = managerOf([listStore('a', ['a1', 'both', 'both']), listStore('b', ['b1', 'b2', 'both'])]);
    expect(contentsOf(await memory.search('q'))).toEqual(['both', 'a1', 'b1', 'b2']);
  });

  it('does not raise entries that one store returns repeatedly', async () => {
    const { memory } = managerOf([listStore('a', ['a1', 'again', 'again']), listStore('b', ['b1'])]);
    expect(contentsOf(await memory.search('q'))).toEqual(['a1', 'b1', 'again']);
  });

  it("keeps the order of the stores with ranking 'registration'", async () => {
    const stores = [listStore('a', ['a1', 'both', 'a1']), listStore('b', ['both', 'b2'])];
    const { memory } = managerOf(stores, { search: { ranking: 'registration' } });
    expect(contentsOf(await memory.search('q'))).toEqual(['a1', 'both', 'b2']);
    expect(contentsOf(await memory.search('q', { maxSearchResults: 2 }))).toEqual(['a1', 'both']);
  });
});

describe('a failing store', () => {
  it.each([
    ['hangs', hangingStore('bad'), memoryError('TIMEOUT', /50 ms/)],
    ['throws', throwingStore('bad'), expect.objectContaining({ message: 'down' })],
    ['returns no array', garbageStore('bad', { entries: [] }), memoryError('BACKEND', /array/)],
    ['returns nothing', garbageStore('bad', undefined), memoryError('BACKEND', /array/)],
    [
      'returns entries without text',
      garbageStore('bad', [{}, null, 7, { content: ' ' }]),
      memoryError('BACKEND', /content/),
    ],
  ])('is skipped and reported if it %s', async (_, bad, error) => {
    const { memory, failures, logger } = managerOf([listStore('a', ['a1']), bad, listStore('c', ['c1'])]);
    expect(contentsOf(await memory.search('q'))).toEqual(['a1', 'c1']);
    expect(failures).toEqual([{ storeName: 'bad', operation: 'search', error }]);
    expect(logger.lines).toEqual([expect.stringMatching(/^Memory store "bad" failed: search \(\w+\)\./)]);
  });

  it('contributes its valid entries, and the rest is reported', async () => {
    const { memory, failures } = managerOf([garbageStore('bad', [{}, { content: 'sound' }, { content: 1 }])]);
    expect(contentsOf(await memory.search('q'))).toEqual(['sound']);
    expect(failures).toEqual([
      { storeName: 'bad', operation: 'search', error: memoryError('BACKEND', /content/), count: 2 },
    ]);
  });

  it('makes the search reject if all stores fail, because an outage is not an empty memory', async () => {
    const { memory, failures } = managerOf([hangingStore('a'), throwingStore('b'), listStore('c', ['c1'])]);
    const found = memory.search('q', { stores: ['a', 'b'] });
    await expect(found).rejects.toEqual(memoryError('BACKEND', /"a", "b"/));
    await expect(found).rejects.toMatchObject({ cause: { errors: [{ code: 'TIMEOUT' }, { message: 'down' }] } });
    expect(failures).toHaveLength(2);
    await expect(memory.search('q', { stores: ['b'] })).rejects.toMatchObject({ cause: { message: 'down' } });
  });

  it('does no harm even if the logger and onStoreError throw', async () => {
    const broken = () => {
      throw new Error('listener');
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    for (const onStoreError of [broken, async () => broken()]) {
      const { memory } = managerOf([throwingStore('bad'), listStore('a', ['a1'])], {
        telemetry: { onStoreError, logger },
      });
      expect(contentsOf(await memory.search('q'))).toEqual(['a1']);
    }
  });
});

describe('aborting a search', () => {
  it('searches no store if the signal is already aborted', async () => {
    const store = listStore('a', ['x']);
    const { memory } = managerOf([store]);
    await expect(memory.search('q', { signal: AbortSignal.abort() })).rejects.toEqual(memoryError('ABORTED', /./));
    expect(store.searches).toEqual([]);
  });

  it('rejects at once, aborts the stores, and reports no store failure', async () => {
    const controller = new AbortController();
    let told: AbortSignal | undefined;
    const store = listStore('a', [], {
      search: (_, options) => {
        told = options?.signal;
        return new Promise(() => {});
      },
    });
    const { memory, failures } = managerOf([store], { search: { deadlineMs: 600_000 } });
    const found = memory.search('q', { signal: controller.signal });
    // The search of the store starts later, asynchronously.
    while (told === undefined) await new Promise(setImmediate);
    controller.abort();
    await expect(found).rejects.toEqual(memoryError('ABORTED', /./));
    expect(told.aborted).toBe(true);
    expect(failures).toEqual([]);
  });

  it('leaves no timer and no listener behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const controller = new AbortController();
    const { memory } = managerOf([listStore('a', ['x']), throwingStore('b'), hangingStore('c')]);
    await memory.search('q', { signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    // A timer of an earlier test may have ended in the meantime.
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe('initialize', () => {
  it('is called once before the first use, and again after a failure', async () => {
    const order: string[] = [];
    const store = listStore('a', ['a1'], {
      async initialize() {
        order.push('initialize');
        if (order.length === 1) throw new Error('not yet');
      },
      async search() {
        order.push('search');
        return [{ content: 'a1' }];
      },
      async add() {
        order.push('add');
      },
    });
    const { memory } = managerOf([store]);
    await expect(memory.search('q')).rejects.toEqual(memoryError('BACKEND', /"a"/));
    await Promise.all([memory.search('q'), memory.search('q')]);
    await memory.add('text');
    expect(order).toEqual(['initialize', 'initialize', 'search', 'search', 'add']);
  });

  it('is called before extraction writes', async () => {
    const order: string[] = [];
    const store = listStore('a', [], {
      extraction: true,
      initialize: async () => void order.push('initialize'),
      addMessages: async () => void order.push('addMessages'),
    });
    const { memory } = managerOf([store]);
    memory.conversation().observe({ role: 'user', content: 'I like tea' });
    await memory.flush({ throwOnFailure: true });
    expect(order).toEqual(['initialize', 'addMessages']);
  });
});
