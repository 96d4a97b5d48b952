import { isMemoryError } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { CHANGE, EMPTY } from '../src/lua/records/log-scripts.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { expectEachChangeOnce, expectSafeRetries, POINTS, recordsOf, untilDone } from './cut-store-links.ts';
import { behindProxy, endProxies } from './proxies.ts';

const single = sharedRedis();
endProxies();

// The torture tests cut more connections, including those to a cluster.
describe.each(POINTS)('with the connection cut at the %s', (point) => {
  it('each change of records is made exactly once if the client resends it', async () => {
    await expectEachChangeOnce(await behindProxy(single.service), point, 21);
  });

  it('a batch is made fully or not at all, and a retried add or put with ifVersion is made once', async () => {
    await expectSafeRetries(await behindProxy(single.service, { maxRetriesPerRequest: 0 }), point, 15);
  });

  it('reads reject with BACKEND, even if they would remove expired records', async () => {
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

describe('resent commands', () => {
  it('a resent clear or delete keeps records put since, and a resent put does not restore a removed record', async () => {
    const { client, proxies } = await behindProxy(single.service);
    const keyPrefix = freshPrefix();
    const store = new RedisStore({ client, keyPrefix, name: 'memory' });
    const elsewhere = new RedisStore({ client: single.client, keyPrefix, name: 'memory' });
    await elsewhere.put({ id: 'x', content: 'loads the scripts' });
    await elsewhere.delete('x');
    await elsewhere.clear();
    for (let round = 0; round < rounds(20, 4); round++) {
      await store.put({ id: 'x', content: 'one' });
      let cut = proxies[0]?.cutAt('reply', EMPTY.sha);
      const clearing = store.clear();
      await cut;
      await elsewhere.put({ id: 'y', content: 'two' });
      expect(await clearing).toBe(1);
      expect(await recordsOf(elsewhere)).toEqual({ y: { content: 'two', puts: 1 } });

      cut = proxies[0]?.cutAt('reply', CHANGE.sha);
      const deleting = store.delete('y');
      await cut;
      await elsewhere.put({ id: 'y', content: 'three' });
      expect(await deleting).toBe(true);
      expect(await recordsOf(elsewhere)).toEqual({ y: { content: 'three', puts: 1 } });

      cut = proxies[0]?.cutAt('reply', CHANGE.sha);
      const putting = store.put({ id: 'z', content: 'four' });
      await cut;
      await elsewhere.clear();
      expect(await putting).toMatchObject({ content: 'four', version: putTimes(1) });
      expect(await recordsOf(elsewhere)).toEqual({});
    }
  });
});
