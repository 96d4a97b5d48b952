import type { JsonObject } from '@keepsake/core';
import type { CutPoint, TcpProxy } from '@keepsake/services';
import type { Cluster, Redis } from 'ioredis';
import { expect } from 'vitest';
import { RedisSession } from '../src/index.ts';
import { freshPrefix } from './connections.ts';

export const POINTS: readonly CutPoint[] = ['request', 'reply', 'half-reply'];

export const say = (text: string) => ({ type: 'message', text });
const call = (callId: string, text: string) => ({ type: 'function_call', callId, text });

/** Changes of every kind in turn: the change, the items after it, and a text that its request contains. */
function changeOf(round: number, items: readonly JsonObject[]) {
  const [one, two] = [say(`text ${round} a`), say(`text ${round} b`)];
  const last = items.at(-1);
  const oldCall = items.find(({ type }) => type === 'function_call');
  switch (round % 7) {
    case 3: {
      const expectedSuffix = items.slice(-2);
      return {
        after: [...items.slice(0, -2), one],
        requestText: `text ${round} a`,
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
        requestText: String(last?.text),
        change: async (session: RedisSession) => expect(await session.popItem()).toEqual(last),
      };
    case 5: {
      const replacement = call(`c-${round}`, `text ${round} c`);
      return {
        after: items.map((item) => (item === oldCall ? replacement : item)),
        requestText: `text ${round} c`,
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
        requestText: `text ${round} d`,
        change: (session: RedisSession) => session.replaceHistoryWithCompaction(compacted),
      };
    }
    default:
      return {
        after: [...items, one, two],
        requestText: `text ${round} a`,
        change: (session: RedisSession) => session.addItems([one, two]),
      };
  }
}

/** Changes a session repeatedly, cuts the connection each time, and expects each change to be made exactly once. */
export async function expectEachChangeOnce(
  { client, proxies }: { client: Redis | Cluster; proxies: readonly TcpProxy[] },
  point: CutPoint,
  rounds: number,
): Promise<void> {
  const session = new RedisSession({ client, keyPrefix: freshPrefix(), ttlMs: 3_600_000 });
  await session.addItems([call('c', 'start'), say('start')]);
  let items: JsonObject[] = await session.getItems();
  for (let round = 0; round < rounds; round++) {
    const { after, requestText, change } = changeOf(round, items);
    const cut = Promise.any(proxies.map((proxy) => proxy.cutAt(point, requestText)));
    await change(session);
    await cut;
    items = await session.getItems();
    expect(items, `round ${round}`).toEqual(after);
  }
}
