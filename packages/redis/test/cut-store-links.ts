import { isMemoryError, type MemoryRecord, type RecordInput } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import type { CutPoint } from '@keepsake/services';
import { putTimes } from '@keepsake/testing/put-times';
import { expect } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { CHANGE, EMPTY } from '../src/lua/records/log-scripts.ts';
import { freshPrefix } from './connections.ts';
import type { ProxiedClient } from './proxies.ts';

export const POINTS: readonly CutPoint[] = ['request', 'reply', 'half-reply'];

interface State {
  readonly content: string;
  /** How many puts the record has had. */
  readonly puts: number;
}

interface Change {
  /** A text that only this request contains. */
  readonly requestText: string;
  readonly change: (store: RedisStore) => Promise<unknown>;
  /** The records after it. */
  readonly after: Map<string, State>;
  readonly result: unknown;
}

/** Changes of every kind in turn. */
function changeOf(round: number, before: Change['after']): Change {
  const after: Change['after'] = new Map(before);
  const content = `tea number ${round}`;
  const putsOf = (id: string) => before.get(id)?.puts ?? 0;
  const versionOf = async (store: RedisStore, id: string) => (await store.get(id))?.version as number;
  const [oldest = ''] = before.keys();
  switch (round % 7) {
    case 0: {
      after.set(`fresh ${round}`, { content, puts: 1 });
      const result = expect.objectContaining({ content, version: putTimes(1) });
      return {
        after,
        result,
        requestText: CHANGE.sha,
        change: (store) => store.put({ id: `fresh ${round}`, content }),
      };
    }
    case 1: {
      const puts = putsOf(oldest) + 1;
      after.set(oldest, { content, puts });
      const result = expect.objectContaining({ content, version: putTimes(puts) });
      return { after, result, requestText: CHANGE.sha, change: (store) => store.put({ id: oldest, content }) };
    }
    case 2: {
      const puts = putsOf(oldest) + 1;
      after.set(oldest, { content, puts });
      const change = async (store: RedisStore) =>
        store.put({ id: oldest, content }, { ifVersion: await versionOf(store, oldest) });
      const result = expect.objectContaining({ version: putTimes(puts) });
      return { after, result, requestText: CHANGE.sha, change };
    }
    case 3: {
      const puts = putsOf(oldest) + 1;
      after.set(oldest, { content, puts });
      after.set(`twice ${round}`, { content: 'once more', puts: 2 });
      const inputs: RecordInput[] = [
        { id: `twice ${round}`, content },
        { id: oldest, content },
        { id: `twice ${round}`, content: 'once more' },
      ];
      const result = [1, puts, 2].map((count) => expect.objectContaining({ version: putTimes(count) }));
      return { after, result, requestText: CHANGE.sha, change: (store) => store.putMany(inputs) };
    }
    case 4:
      after.set(`created ${round}`, { content, puts: 1 });
      return {
        ...{ after, result: expect.objectContaining({ version: putTimes(1) }), requestText: CHANGE.sha },
        change: (store) => store.put({ id: `created ${round}`, content }, { ifVersion: 0 }),
      };
    case 5:
      after.delete(oldest);
      return { after, result: true, requestText: CHANGE.sha, change: (store) => store.delete(oldest) };
    default:
      if (round % 3 !== 0) {
        after.delete(oldest);
        const change = async (store: RedisStore) => store.delete(oldest, { ifVersion: await versionOf(store, oldest) });
        return { after, result: true, requestText: CHANGE.sha, change };
      }
      after.clear();
      return { after, result: before.size, requestText: EMPTY.sha, change: (store) => store.clear() };
  }
}

/** Changes records repeatedly, cuts the connection each time, and expects each change to be made exactly once. */
export async function expectEachChangeOnce(
  { client, proxies }: ProxiedClient,
  point: CutPoint,
  rounds: number,
): Promise<void> {
  const store = new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory' });
  await store.put({ id: 'x', content: 'loads the scripts' });
  await store.delete('x');
  await store.clear();
  let current: Change['after'] = new Map();
  for (let round = 0; round < rounds; round++) {
    const { after, requestText, change, result } = changeOf(round, current);
    const cut = Promise.any(proxies.map((proxy) => proxy.cutAt(point, requestText)));
    expect(await change(store), `round ${round}`).toEqual(result);
    await cut;
    expect(await recordsOf(store), `round ${round}`).toEqual(Object.fromEntries(after));
    current = after;
  }
}

export async function recordsOf(store: RedisStore) {
  const { items } = await store.list({ limit: 1_000, order: 'oldest' });
  return Object.fromEntries(items.map(({ id, content, version }) => [id, { content, puts: putCount(version) }]));
}

/** Retries while the connection is down. */
export async function untilDone<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isMemoryError(error, 'BACKEND') && !isMemoryError(error, 'OUTCOME_UNKNOWN')) throw error;
    }
  }
}

/** With a client that never resends, expects batches to be made fully or not at all, and safe retries to succeed. */
export async function expectSafeRetries(
  { client, proxies }: ProxiedClient,
  point: CutPoint,
  rounds: number,
): Promise<void> {
  const store = new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory' });
  // On the first put to a namespace, the script writes nothing and only asks for its registration.
  const begin = async () => {
    await store.put({ id: 'x', content: 'tea' });
    await store.delete('x');
  };
  await begin();
  let expected: Record<string, State> = {};
  for (let round = 0; round < rounds; round++) {
    const [one, two] = [`one ${round}`, `two ${round}`];
    await untilDone(() => store.list());
    const batch = () => store.putMany([one, two].map((id) => ({ id, content: id })));
    const add = () => store.add(`tea ${round}`);
    const create = () => store.put({ id: one, content: one }, { ifVersion: 0 });
    const change = [batch, add, create][round % 3] as () => Promise<unknown>;
    const cut = proxies[0]?.cutAt(point, CHANGE.sha);
    const failure = await change().catch((error: unknown) => error);
    await cut;
    expect(isMemoryError(failure, 'OUTCOME_UNKNOWN'), `round ${round}: ${failure}`).toBe(true);
    if (change === batch) {
      if (point !== 'request') for (const id of [one, two]) expected[id] = { content: id, puts: 1 };
    } else if (change === add) {
      const added = (await untilDone(add)) as MemoryRecord;
      expected[added.id] = { content: `tea ${round}`, puts: 1 };
    } else {
      const again = await untilDone(create).catch((error: unknown) => error);
      expect(isMemoryError(again, 'CONFLICT'), `round ${round}: ${again}`).toBe(point !== 'request');
      expected[one] = { content: one, puts: 1 };
    }
    expect(await untilDone(() => recordsOf(store)), `round ${round}`).toEqual(expected);
    if (round % 35 === 34) {
      await untilDone(() => store.clear());
      await begin();
      expected = {};
    }
  }
}
