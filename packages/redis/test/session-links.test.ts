import { isMemoryError, type JsonObject } from '@keepsake/core';
import { type CutPoint, startProxy, type TcpProxy } from '@keepsake/services';
import { Cluster, Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { RedisSession, RedisSessionStore } from '../src/index.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';

const POINTS: CutPoint[] = ['request', 'reply', 'half-reply'];
const single = sharedRedis();
const cluster = sharedCluster();
const opened: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of opened.toReversed()) await close();
});

/** A client behind proxies, all of which cut. By default it sends again what was not answered. */
async function behindProxy(options: { maxRetriesPerRequest?: number } = {}) {
  const proxy = await startProxy(single.service);
  const client = new Redis({ host: proxy.host, port: proxy.port, retryStrategy: () => 1, ...options });
  client.on('error', () => {});
  opened.push(
    () => proxy.stop(),
    () => client.disconnect(),
  );
  return { client, proxies: [proxy] };
}

async function clusterBehindProxies() {
  const proxies = await Promise.all(cluster.service.nodes.map((node) => startProxy(node)));
  const natMap = Object.fromEntries(
    cluster.service.nodes.map(({ host, port }, index) => [`${host}:${port}`, proxies[index] as TcpProxy]),
  );
  const client = new Cluster([...cluster.service.nodes], {
    natMap,
    retryDelayOnFailover: 1,
    clusterRetryStrategy: () => 1,
  });
  client.on('error', () => {});
  opened.push(
    () => Promise.all(proxies.map((proxy) => proxy.stop())),
    () => client.disconnect(),
  );
  return { client, proxies };
}

const say = (text: string) => ({ type: 'message', text });
const call = (callId: string, text: string) => ({ type: 'function_call', callId, text });

/** Changes of every kind, one after the other: what is done, what then is there, and what the request holds. */
function changeOf(round: number, items: readonly JsonObject[]) {
  const [one, two] = [say(`text ${round} a`), say(`text ${round} b`)];
  const last = items.at(-1);
  const oldCall = items.find(({ type }) => type === 'function_call');
  switch (round % 7) {
    case 3: {
      const expectedSuffix = items.slice(-2);
      return {
        after: [...items.slice(0, -2), one],
        holds: `text ${round} a`,
        change: (session: RedisSession) =>
          session.applyHistoryTransaction({
            operationId: `o-${round}`,
            transaction: { type: 'replace_suffix', expectedSuffix, replacement: [one] },
          }),
      };
    }
    case 4:
      return {
        after: items.slice(0, -1),
        holds: String(last?.text),
        change: async (session: RedisSession) => expect(await session.popItem()).toEqual(last),
      };
    case 5: {
      const replacement = call(`c-${round}`, `text ${round} c`);
      return {
        after: items.map((item) => (item === oldCall ? replacement : item)),
        holds: `text ${round} c`,
        change: (session: RedisSession) =>
          session.applyHistoryMutations({
            mutations: [{ type: 'replace_function_call', callId: String(oldCall?.callId), replacement }],
          }),
      };
    }
    case 6: {
      const compacted = [call(`c-${round}`, `text ${round} d`), one, ...items.slice(-9)];
      return {
        after: compacted,
        holds: `text ${round} d`,
        change: (session: RedisSession) => session.replaceHistoryWithCompaction(compacted),
      };
    }
    default:
      return {
        after: [...items, one, two],
        holds: `text ${round} a`,
        change: (session: RedisSession) => session.addItems([one, two]),
      };
  }
}

async function survives(
  { client, proxies }: { client: Redis | Cluster; proxies: readonly TcpProxy[] },
  point: CutPoint,
  rounds: number,
): Promise<void> {
  const session = new RedisSession({ client, keyPrefix: freshPrefix(), ttlMs: 3_600_000 });
  await session.addItems([call('c', 'start'), say('start')]);
  let items: JsonObject[] = await session.getItems();
  for (let round = 0; round < rounds; round++) {
    const { after, holds, change } = changeOf(round, items);
    const cut = Promise.any(proxies.map((proxy) => proxy.cutAt(point, holds)));
    await change(session);
    await cut;
    items = await session.getItems();
    expect(items, `round ${round}`).toEqual(after);
  }
}

describe.each(POINTS)('a link that is cut (at the %s)', (point) => {
  it('never has a change done twice, half or not at all, where the client sends it again', async () => {
    await survives(await behindProxy(), point, 200);
  });

  it('neither does it on a cluster', async () => {
    await survives(await clusterBehindProxies(), point, 70);
  });

  it('leaves a change whole or undone, and a retry of its operation does it once', async () => {
    const { client, proxies } = await behindProxy({ maxRetriesPerRequest: 0 });
    const session = new RedisSession({ client, keyPrefix: freshPrefix() });
    await session.addItems([say('start')]);
    let expected: JsonObject[] = await session.getItems();
    for (let round = 0; round < 200; round++) {
      const batch = Array.from({ length: 5 }, (_, index) => say(`text ${round} ${index}`));
      const add = () =>
        round % 2 === 0
          ? session.addItems(batch)
          : session.applyHistoryTransaction({
              operationId: `o-${round}`,
              transaction: { type: 'append_items', items: batch },
            });
      const cut = proxies[0]?.cutAt(point, `text ${round} 4`);
      const failure = await add().catch((error: unknown) => error);
      await cut;
      expect(isMemoryError(failure, 'OUTCOME_UNKNOWN'), `round ${round}: ${failure}`).toBe(true);
      if (round % 2 === 1) await untilDone(add);
      const items = await untilDone(() => session.getItems());
      const done = point !== 'request' || round % 2 === 1;
      expect(items, `round ${round}`).toEqual(done ? [...expected, ...batch] : expected);
      expected = items;
    }
  });
});

/** Tries again what fails while the link is down. */
async function untilDone<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isMemoryError(error)) throw error;
    }
  }
}

describe('what was sent again', () => {
  it('a clear takes nothing that was added since, and a delete still says that the session was there', async () => {
    const { client, proxies } = await behindProxy();
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix });
    const elsewhere = new RedisSessionStore({ client: single.client, keyPrefix });
    // So that Redis knows the scripts: else the answer that gets lost is that it does not.
    for (const id of ['a', 'b']) await elsewhere.open(id).addItems([say('one')]);
    await elsewhere.open('a').clearSession();
    await elsewhere.delete('b');
    for (let round = 0; round < 20; round++) {
      const id = `session ${round}`;
      await store.open(id).addItems([say('one')]);
      const cleared = proxies[0]?.cutAt('reply', id);
      const clearing = store.open(id).clearSession();
      await cleared;
      await elsewhere.open(id).addItems([say('two')]);
      await clearing;
      expect(await elsewhere.open(id).getItems()).toEqual([say('two')]);

      const cut = proxies[0]?.cutAt('reply', id);
      const deleting = store.delete(id);
      await cut;
      expect(await deleting).toBe(true);
      expect(await elsewhere.delete(id)).toBe(false);
    }
  });
});
