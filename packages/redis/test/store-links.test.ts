import { isMemoryError, type MemoryRecord, type RecordInput } from '@keepsake/core';
import type { CutPoint } from '@keepsake/services';
import { describe, expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { EMPTY, PUT, REMOVE } from '../src/store-scripts.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';
import { behindProxy, clusterBehindProxies, endProxies, type ProxiedClient } from './proxies.ts';

const POINTS: CutPoint[] = ['request', 'reply', 'half-reply'];
const single = sharedRedis();
const cluster = sharedCluster();
endProxies();

interface Change {
  /** What the request holds and no other does. */
  readonly holds: string;
  readonly change: (store: RedisStore) => Promise<unknown>;
  /** What is there after it. */
  readonly after: Map<string, { readonly content: string; readonly version: number }>;
  readonly gives: unknown;
}

/** Changes of every kind, one after the other. */
function changeOf(round: number, before: Change['after']): Change {
  const after: Change['after'] = new Map(before);
  const content = `tea number ${round}`;
  const versionOf = (id: string) => before.get(id)?.version ?? 0;
  const [oldest = ''] = before.keys();
  switch (round % 7) {
    case 0: {
      after.set(`fresh ${round}`, { content, version: 1 });
      const gives = expect.objectContaining({ content, version: 1 });
      return { after, gives, holds: PUT.sha, change: (store) => store.put({ id: `fresh ${round}`, content }) };
    }
    case 1: {
      const version = versionOf(oldest) + 1;
      after.set(oldest, { content, version });
      const gives = expect.objectContaining({ content, version });
      return { after, gives, holds: PUT.sha, change: (store) => store.put({ id: oldest, content }) };
    }
    case 2: {
      const version = versionOf(oldest) + 1;
      after.set(oldest, { content, version });
      const change = (store: RedisStore) => store.put({ id: oldest, content }, { ifVersion: version - 1 });
      return { after, gives: expect.objectContaining({ version }), holds: PUT.sha, change };
    }
    case 3: {
      const version = versionOf(oldest);
      after.set(oldest, { content, version: version + 1 });
      after.set(`twice ${round}`, { content: 'once more', version: 2 });
      const inputs: RecordInput[] = [
        { id: `twice ${round}`, content },
        { id: oldest, content },
        { id: `twice ${round}`, content: 'once more' },
      ];
      const gives = [{ version: 1 }, { version: version + 1 }, { version: 2 }].map((one) =>
        expect.objectContaining(one),
      );
      return { after, gives, holds: PUT.sha, change: (store) => store.putMany(inputs) };
    }
    case 4:
      after.set(`created ${round}`, { content, version: 1 });
      return {
        ...{ after, gives: expect.objectContaining({ version: 1 }), holds: PUT.sha },
        change: (store) => store.put({ id: `created ${round}`, content }, { ifVersion: 0 }),
      };
    case 5:
      after.delete(oldest);
      return { after, gives: true, holds: REMOVE.sha, change: (store) => store.delete(oldest) };
    default:
      if (round % 3 !== 0) {
        after.delete(oldest);
        const ifVersion = versionOf(oldest);
        return { after, gives: true, holds: REMOVE.sha, change: (store) => store.delete(oldest, { ifVersion }) };
      }
      after.clear();
      return { after, gives: before.size, holds: EMPTY.sha, change: (store) => store.clear() };
  }
}

async function survives({ client, proxies }: ProxiedClient, point: CutPoint, rounds: number): Promise<void> {
  const store = new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory' });
  await store.put({ id: 'x', content: 'so that Redis knows the scripts' });
  await store.delete('x');
  await store.clear();
  let there: Change['after'] = new Map();
  for (let round = 0; round < rounds; round++) {
    const { after, holds, change, gives } = changeOf(round, there);
    const cut = Promise.any(proxies.map((proxy) => proxy.cutAt(point, holds)));
    expect(await change(store), `round ${round}`).toEqual(gives);
    await cut;
    expect(await recordsOf(store), `round ${round}`).toEqual(Object.fromEntries(after));
    there = after;
  }
}

async function recordsOf(store: RedisStore) {
  const { items } = await store.list({ limit: 1_000, order: 'oldest' });
  return Object.fromEntries(items.map(({ id, content, version }) => [id, { content, version }]));
}

/** Tries again what fails while the link is down. */
async function untilDone<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isMemoryError(error, 'BACKEND') && !isMemoryError(error, 'OUTCOME_UNKNOWN')) throw error;
    }
  }
}

describe.each(POINTS)('a link that is cut (at the %s)', (point) => {
  it('never has a change of records done twice, half or not at all, where the client sends it again', async () => {
    await survives(await behindProxy(single.service), point, 105);
  });

  it('neither does it on a cluster', async () => {
    await survives(await clusterBehindProxies(cluster.service.nodes), point, 21);
  });

  it('leaves a batch whole or undone, and a retry of an add, or with ifVersion, does it once', async () => {
    const { client, proxies } = await behindProxy(single.service, { maxRetriesPerRequest: 0 });
    const store = new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory' });
    // The first put of a namespace only learns that it is to be registered.
    const begin = async () => {
      await store.put({ id: 'x', content: 'tea' });
      await store.delete('x');
    };
    await begin();
    let expected: Record<string, { content: string; version: number }> = {};
    for (let round = 0; round < 105; round++) {
      const [one, two] = [`one ${round}`, `two ${round}`];
      await untilDone(() => store.list());
      const batch = () => store.putMany([one, two].map((id) => ({ id, content: id })));
      const add = () => store.add(`tea ${round}`);
      const create = () => store.put({ id: one, content: one }, { ifVersion: 0 });
      const change = [batch, add, create][round % 3] as () => Promise<unknown>;
      const cut = proxies[0]?.cutAt(point, PUT.sha);
      const failure = await change().catch((error: unknown) => error);
      await cut;
      expect(isMemoryError(failure, 'OUTCOME_UNKNOWN'), `round ${round}: ${failure}`).toBe(true);
      if (change === batch) {
        if (point !== 'request') for (const id of [one, two]) expected[id] = { content: id, version: 1 };
      } else if (change === add) {
        const added = (await untilDone(add)) as MemoryRecord;
        expected[added.id] = { content: `tea ${round}`, version: 1 };
      } else {
        const again = await untilDone(create).catch((error: unknown) => error);
        expect(isMemoryError(again, 'CONFLICT'), `round ${round}: ${again}`).toBe(point !== 'request');
        expected[one] = { content: one, version: 1 };
      }
      expect(await untilDone(() => recordsOf(store)), `round ${round}`).toEqual(expected);
      if (round % 35 === 34) {
        await untilDone(() => store.clear());
        await begin();
        expected = {};
      }
    }
  });

  it('is BACKEND to what only reads, also where it takes out what has expired on the way', async () => {
    const { client, proxies } = await behindProxy(single.service, { maxRetriesPerRequest: 0 });
    const keyPrefix = freshPrefix();
    const store = new RedisStore({ client, keyPrefix, name: 'memory' });
    const elsewhere = new RedisStore({ client: single.client, keyPrefix, name: 'memory' });
    await elsewhere.put({ id: 'x', content: 'tea' });
    const reads = [
      () => store.get('x'),
      () => store.list(),
      () => store.search('tea'),
      () => store.namespaces(),
      () => store.search('tea'),
    ];
    for (const [place, read] of [...reads, ...reads].entries()) {
      await elsewhere.put({ id: 'goes', content: 'tea', ttlMs: 1 });
      await elsewhere.within(['below']).put({ id: 'goes', content: 'tea' });
      await elsewhere.within(['below']).delete('goes');
      await untilDone(() => store.get('x'));
      const cut = proxies[0]?.cutAt(point, keyPrefix);
      const failure = await read().catch((error: unknown) => error);
      await cut;
      expect(isMemoryError(failure, 'BACKEND'), `${place}: ${failure}`).toBe(true);
    }
  });
});

describe('what was sent again', () => {
  it('a clear or delete takes nothing that was put since, a put does not come back', async () => {
    const { client, proxies } = await behindProxy(single.service);
    const keyPrefix = freshPrefix();
    const store = new RedisStore({ client, keyPrefix, name: 'memory' });
    const elsewhere = new RedisStore({ client: single.client, keyPrefix, name: 'memory' });
    await elsewhere.put({ id: 'x', content: 'so that Redis knows the scripts' });
    await elsewhere.delete('x');
    await elsewhere.clear();
    for (let round = 0; round < 20; round++) {
      await store.put({ id: 'x', content: 'one' });
      let cut = proxies[0]?.cutAt('reply', EMPTY.sha);
      const clearing = store.clear();
      await cut;
      await elsewhere.put({ id: 'y', content: 'two' });
      expect(await clearing).toBe(1);
      expect(await recordsOf(elsewhere)).toEqual({ y: { content: 'two', version: 1 } });

      cut = proxies[0]?.cutAt('reply', REMOVE.sha);
      const deleting = store.delete('y');
      await cut;
      await elsewhere.put({ id: 'y', content: 'three' });
      expect(await deleting).toBe(true);
      expect(await recordsOf(elsewhere)).toEqual({ y: { content: 'three', version: 1 } });

      cut = proxies[0]?.cutAt('reply', PUT.sha);
      const putting = store.put({ id: 'z', content: 'four' });
      await cut;
      await elsewhere.clear();
      expect(await putting).toMatchObject({ content: 'four', version: 1 });
      expect(await recordsOf(elsewhere)).toEqual({});
    }
  });
});
