import { memoryError } from '@keepsake/testing/memory-error';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryManager, type MemoryManagerOptions, type MemoryStore, type StoreFailure } from '../../src/index.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { contentsOf, listStore } from '../support/memory-stores.ts';

const DEADLINE = 2_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A store that hangs, answers or fails as told, and counts its searches. */
function moodyStore(name: string) {
  const state = { mood: 'hangs' as 'hangs' | 'answers' | 'fails', searches: 0 };
  const store = listStore(name, [], {
    search: async () => {
      state.searches++;
      if (state.mood === 'hangs') return new Promise<never>(() => {});
      if (state.mood === 'fails') throw new TypeError('down');
      return [{ content: `from ${name}` }];
    },
  });
  return Object.assign(state, { store });
}

function managerOf(stores: readonly MemoryStore[], options: Partial<MemoryManagerOptions> = {}) {
  const failures: StoreFailure[] = [];
  const logger = memoryLogger();
  const onStoreError = (failure: StoreFailure) => void failures.push(failure);
  const memory = new MemoryManager({
    stores,
    telemetry: { logger, onStoreError },
    search: { deadlineMs: DEADLINE },
    ...options,
  });
  /** A search, and how long it took. */
  const search = async () => {
    const startedAt = performance.now();
    const found = memory.search('tea').catch((error: unknown) => error as Error);
    await vi.advanceTimersByTimeAsync(0);
    for (let ms = 0; ms < DEADLINE; ms += 100) {
      const isDone = await Promise.race([found.then(() => true), Promise.resolve().then(() => false)]);
      if (isDone) break;
      await vi.advanceTimersByTimeAsync(100);
    }
    const result = await found;
    return { result: Array.isArray(result) ? contentsOf(result) : result, ms: performance.now() - startedAt };
  };
  return { memory, failures, logger, search };
}

describe('a store that hangs', () => {
  it('costs its deadline three times, then nothing for 30 s, and is reported once as skipped', async () => {
    const slow = moodyStore('slow');
    const { search, failures, logger } = managerOf([slow.store, listStore('quick', ['from quick'])]);
    for (let count = 0; count < 3; count++) expect(await search()).toEqual({ result: ['from quick'], ms: DEADLINE });
    for (let count = 0; count < 20; count++) expect(await search()).toEqual({ result: ['from quick'], ms: 0 });
    expect(slow.searches).toBe(3);
    expect(failures).toHaveLength(3);
    expect(failures.map(({ skippedForMs }) => skippedForMs)).toEqual([undefined, undefined, 30_000]);
    expect(failures[2]).toMatchObject({ storeName: 'slow', operation: 'search', error: { code: 'TIMEOUT' } });
    expect(logger.lines.at(-1)).toMatch(
      /^Memory store "slow" failed: search \(TIMEOUT\)\. .+\. Searches skip it for 30 s\.$/,
    );
  });

  it('is probed by one search after the pause, which doubles up to 5 minutes', async () => {
    const slow = moodyStore('slow');
    const { search, failures, memory } = managerOf([slow.store, listStore('quick', ['from quick'])]);
    for (let count = 0; count < 3; count++) await search();
    for (const seconds of [30, 60, 120, 240, 300, 300]) {
      expect(failures.at(-1)?.skippedForMs).toBe(seconds * 1_000);
      const { length } = failures;
      await vi.advanceTimersByTimeAsync(seconds * 1_000 - 10);
      expect((await search()).ms).toBe(0);
      await vi.advanceTimersByTimeAsync(20);
      const before = slow.searches;
      const probe = search();
      // Others do not wait while the probe does.
      expect(contentsOf(await memory.search('tea'))).toEqual(['from quick']);
      expect((await probe).ms).toBe(DEADLINE);
      expect(slow.searches).toBe(before + 1);
      expect(failures).toHaveLength(length + 1);
    }
  });

  it('comes back once it answers, and is skipped only after three more timeouts', async () => {
    const slow = moodyStore('slow');
    const { search, failures } = managerOf([slow.store, listStore('quick', ['from quick'])]);
    for (let count = 0; count < 3; count++) await search();
    await vi.advanceTimersByTimeAsync(30_000);
    await search();
    slow.mood = 'answers';
    expect((await search()).result).toEqual(['from quick']);
    await vi.advanceTimersByTimeAsync(60_000);
    for (let count = 0; count < 3; count++) {
      expect(await search()).toEqual({ result: ['from slow', 'from quick'], ms: 0 });
    }
    slow.mood = 'hangs';
    for (let count = 0; count < 3; count++) expect((await search()).ms).toBe(DEADLINE);
    expect((await search()).ms).toBe(0);
    expect(failures.map(({ skippedForMs }) => skippedForMs).filter(Boolean)).toEqual([30_000, 60_000, 30_000]);
  });

  it('is reported as skipped once if many searches time out at the same time', async () => {
    const slow = moodyStore('slow');
    const { memory, failures } = managerOf([slow.store, listStore('quick', ['from quick'])]);
    const searches = Array.from({ length: 6 }, () => memory.search('tea'));
    await vi.advanceTimersByTimeAsync(DEADLINE);
    await Promise.all(searches);
    expect(failures).toHaveLength(6);
    expect(failures.map(({ skippedForMs }) => skippedForMs).filter(Boolean)).toEqual([30_000]);
  });

  it('is skipped after three timeouts even if the caller aborts a search between them', async () => {
    const slow = moodyStore('slow');
    const { memory, search } = managerOf([slow.store]);
    await search();
    await search();
    const control = new AbortController();
    const aborted = memory.search('tea', { signal: control.signal });
    control.abort();
    await expect(aborted).rejects.toEqual(memoryError('ABORTED', /aborted/));
    expect((await search()).ms).toBe(DEADLINE);
    expect((await search()).ms).toBe(0);
  });

  it('is skipped by searches, tools and injection alike', async () => {
    const slow = moodyStore('slow');
    const { memory, search } = managerOf([slow.store, listStore('quick', ['from quick'])]);
    for (let count = 0; count < 3; count++) await search();
    const startedAt = performance.now();
    const chat = memory.conversation();
    expect(await chat.block([{ role: 'user', content: 'Which tea do I like?' }])).toContain('from quick');
    expect(await memory.tools()[0]?.execute({ query: 'tea' })).toMatchObject({ entries: [{ content: 'from quick' }] });
    expect([slow.searches, performance.now() - startedAt]).toEqual([3, 0]);
  });

  it('is skipped for all users after three timeouts of any', async () => {
    const slow = moodyStore('slow');
    const { memory } = managerOf([{ ...slow.store, namespace: [], within: () => ({ ...slow.store }) } as MemoryStore]);
    for (const user of ['alice', 'bob', 'carol', 'dave', 'alice']) {
      const found = memory.for({ user }).search('tea');
      const caught = expect(found).rejects.toEqual(memoryError('BACKEND', /./));
      await vi.advanceTimersByTimeAsync(DEADLINE);
      await caught;
    }
    expect(slow.searches).toBe(3);
  });

  it('counts the timeouts of injection, too', async () => {
    const slow = moodyStore('slow');
    const { memory, failures } = managerOf([slow.store]);
    for (let count = 0; count < 5; count++) {
      const injected = memory.conversation().block([{ role: 'user', content: 'Which tea do I like?' }]);
      await vi.advanceTimersByTimeAsync(DEADLINE);
      expect(await injected).toBeUndefined();
    }
    expect(slow.searches).toBe(3);
    expect(failures.at(-1)?.skippedForMs).toBe(30_000);
  });
});

describe('a search', () => {
  it('throws BACKEND if all stores are skipped, and says so', async () => {
    const stores = [moodyStore('a'), moodyStore('b')];
    const { search } = managerOf(stores.map(({ store }) => store));
    for (let count = 0; count < 3; count++) await search();
    const message = /^No store could be searched: "a", "b"\. Skipped for a while after repeated timeouts: "a", "b"\.$/;
    expect(await search()).toEqual({ result: memoryError('BACKEND', message), ms: 0 });
  });

  it('throws BACKEND if one store is skipped and the other fails, with the error as its cause', async () => {
    const [slow, other] = [moodyStore('slow'), moodyStore('other')];
    other.mood = 'fails';
    const { search } = managerOf([slow.store, other.store]);
    for (let count = 0; count < 3; count++) await search();
    const { result } = await search();
    expect(result).toEqual(
      memoryError('BACKEND', /Skipped for a while after repeated timeouts: "slow"\. See cause\.$/),
    );
    expect((result as Error).cause).toMatchObject({ message: 'down' });
  });
});

describe('what does not make a store be skipped', () => {
  it('errors, which cost no time', async () => {
    const store = moodyStore('a');
    store.mood = 'fails';
    const { search } = managerOf([store.store]);
    for (let count = 0; count < 10; count++) await search();
    expect(store.searches).toBe(10);
  });

  it('timeouts with an answer or an error between them', async () => {
    const store = moodyStore('a');
    const { search } = managerOf([store.store]);
    for (const mood of ['hangs', 'hangs', 'answers', 'hangs', 'hangs', 'fails', 'hangs', 'hangs'] as const) {
      store.mood = mood;
      await search();
    }
    expect(store.searches).toBe(8);
    expect((await search()).ms).toBe(DEADLINE);
  });

  it('searches that the caller aborts', async () => {
    const store = moodyStore('a');
    const { memory } = managerOf([store.store]);
    for (let count = 0; count < 10; count++) {
      const control = new AbortController();
      const found = memory.search('tea', { signal: control.signal });
      await vi.advanceTimersByTimeAsync(DEADLINE - 100);
      control.abort();
      await expect(found).rejects.toEqual(memoryError('ABORTED', /aborted/));
    }
    expect(store.searches).toBe(10);
  });

  it('timeouts because a callback of injection had left no time', async () => {
    const store = moodyStore('a');
    const query = () => new Promise<string>((resolve) => setTimeout(() => resolve('tea'), DEADLINE - 200));
    const { memory } = managerOf([store.store], { injection: { query } });
    for (let count = 0; count < 10; count++) {
      const injected = memory.conversation().block([{ role: 'user', content: 'Which tea do I like?' }]);
      await vi.advanceTimersByTimeAsync(DEADLINE);
      await injected;
    }
    expect(store.searches).toBe(10);
  });
});
