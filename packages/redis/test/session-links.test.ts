import { isMemoryError, type JsonObject } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { RedisSession, RedisSessionStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { expectEachChangeOnce, POINTS, say } from './cut-links.ts';
import { behindProxy, endProxies } from './proxies.ts';

const single = sharedRedis();
endProxies();

describe.each(POINTS)('with the connection cut at the %s', (point) => {
  it('each change is made exactly once if the client resends it', async () => {
    await expectEachChangeOnce(await behindProxy(single.service), point, rounds(200, 14));
  });

  it('a change is made fully or not at all, and once after a retry with the same operation id', async () => {
    const { client, proxies } = await behindProxy(single.service, { maxRetriesPerRequest: 0 });
    const session = new RedisSession({ client, keyPrefix: freshPrefix() });
    await session.addItems([say('start')]);
    let expected: JsonObject[] = await session.getItems();
    for (let round = 0; round < rounds(200, 20); round++) {
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

/** Retries while the connection is down. */
async function untilDone<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isMemoryError(error)) throw error;
    }
  }
}

describe('resent commands', () => {
  it('a resent clear keeps items added since, and a resent delete still reports that the session existed', async () => {
    const { client, proxies } = await behindProxy(single.service);
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix });
    const elsewhere = new RedisSessionStore({ client: single.client, keyPrefix });
    // Loads the scripts. Otherwise the lost reply would be NOSCRIPT.
    for (const id of ['a', 'b']) await elsewhere.open(id).addItems([say('one')]);
    await elsewhere.open('a').clearSession();
    await elsewhere.delete('b');
    for (let round = 0; round < rounds(20, 4); round++) {
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
