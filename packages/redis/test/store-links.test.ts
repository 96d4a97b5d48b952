import { isMemoryError } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { EMPTY, PUT, REMOVE } from '../src/store-scripts.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { canBeRetried, POINTS, recordsOf, survives, untilDone } from './cut-store-links.ts';
import { behindProxy, endProxies } from './proxies.ts';

const single = sharedRedis();
endProxies();

// As many as there must be are cut in the torture tests, on a cluster, too.
describe.each(POINTS)('a link that is cut (at the %s)', (point) => {
  it('never has a change of records done twice, half or not at all, where the client sends it again', async () => {
    await survives(await behindProxy(single.service), point, 21);
  });

  it('leaves a batch whole or undone, and a retry of an add, or with ifVersion, does it once', async () => {
    await canBeRetried(await behindProxy(single.service, { maxRetriesPerRequest: 0 }), point, 15);
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
