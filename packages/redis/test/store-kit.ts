import { describeStores as describeKits, ON_A_SERVER } from '@keepsake/suites/whole-kit';
import type { Cluster, Redis } from 'ioredis';
import { describe, it } from 'vitest';
import { RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { freshPrefix, type Shared } from './connections.ts';

/** Runs the conformance kits for stores on a connection, or only what is about some concerns. */
export function describeStores(
  where: string,
  shared: Shared<unknown, Redis | Cluster>,
  own: Pick<RedisStoreOptions, 'embedder'> = {},
  concerns: { readonly concerns?: readonly string[] } = {},
): void {
  describeKits({
    describe,
    it,
    name: `RedisStore on ${where}`,
    capabilities: own.embedder === undefined ? ON_A_SERVER : { ...ON_A_SERVER, search: 'hybrid' },
    ...concerns,
    place() {
      const { client } = shared;
      const keyPrefix = freshPrefix();
      return { store: (options) => new RedisStore({ client, keyPrefix, name: 'memory', ...own, ...options }) };
    },
  });
}
