import { describeSession, describeSessionStore } from '@keepsake/conformance';
import type { Cluster, Redis } from 'ioredis';
import { describe, it } from 'vitest';
import { sessionKeys } from '../src/client/keys.ts';
import { RedisSession, RedisSessionStore } from '../src/index.ts';
import { breakable, freshPrefix, type Shared } from './connections.ts';

interface Concerns {
  readonly concerns?: readonly string[];
}

/** Runs the conformance kits for sessions and their stores on a connection, each about some concerns if they are given. */
export function describeSessions(
  where: string,
  shared: Shared<unknown, Redis | Cluster>,
  ttl: { ttlMs?: number; refresh?: 'access' } = {},
  concerns: { readonly session?: Concerns; readonly store?: Concerns } = {},
): void {
  describeSession({
    describe,
    it,
    name: `RedisSession on ${where}`,
    capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canDamage: true, canFail: true },
    ...concerns.session,
    harness() {
      const { client, fail, heal } = breakable(shared.client);
      const keyPrefix = freshPrefix();
      return {
        open: (sessionId) =>
          new RedisSession({
            client,
            keyPrefix,
            onCorrupt() {},
            ...ttl,
            ...(sessionId === undefined ? {} : { sessionId }),
          }),
        damage: (sessionId, index) => damageItem(shared.client, keyPrefix, sessionId, index),
        fail,
        heal,
      };
    },
  });

  describeSessionStore({
    describe,
    it,
    name: `RedisSessionStore on ${where}`,
    capabilities: { shared: true },
    ...concerns.store,
    harness() {
      const keyPrefix = freshPrefix();
      const open = () => new RedisSessionStore({ client: shared.client, keyPrefix, ...ttl });
      return { store: open(), reopen: open };
    },
  });
}

/** Cuts the stored text of an item in half. */
export async function damageItem(
  client: Redis | Cluster,
  keyPrefix: string,
  sessionId: string,
  index: number,
): Promise<void> {
  const { items } = sessionKeys(keyPrefix, sessionId);
  const text = (await client.lindex(items, index)) ?? '';
  await client.lset(items, index, text.slice(0, text.length / 2));
}
