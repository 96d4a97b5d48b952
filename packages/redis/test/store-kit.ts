import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import type { Cluster, Redis } from 'ioredis';
import { describe, it } from 'vitest';
import { RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { freshPrefix, type Shared } from './connections.ts';

/** Runs the conformance kits for stores on a connection, that for record stores about some concerns if they are given. */
export function describeStores(
  where: string,
  shared: Shared<unknown, Redis | Cluster>,
  own: Pick<RedisStoreOptions, 'embedder'> = {},
  concerns: { readonly concerns?: readonly string[] } = {},
): void {
  const name = `RedisStore on ${where}`;
  const search = own.embedder === undefined ? 'lexical' : 'hybrid';
  const opener = () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    return (options: Partial<RedisStoreOptions> = {}) =>
      new RedisStore({ client, keyPrefix, name: 'memory', ...own, ...options });
  };

  describeRecordStore({
    describe,
    it,
    name,
    capabilities: {
      search,
      consistency: 'strong',
      durable: true,
      shared: true,
      atomicBatch: true,
      ttl: true,
      enumerate: true,
      filter: true,
      history: true,
    },
    ...concerns,
    harness: () => ({ open: opener() }),
  });

  describeMemoryStore({
    describe,
    it,
    name,
    capabilities: { search, add: true, addMessages: 'verbatim', filter: true },
    harness() {
      const open = opener();
      return {
        open,
        async fill(contents) {
          await open().putMany(contents.map((content) => ({ content })));
        },
      };
    },
  });
}
