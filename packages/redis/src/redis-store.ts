import type { Embedder } from '@keepsake/core';
import { checkEmbedder, checkLanguage, HostedStore, type HostedStoreOptions, type Language } from '@keepsake/search';
import { hostedRecords } from './hosted-records.ts';
import { checkPrefix } from './keys.ts';
import { Records } from './records.ts';
import { checkClient, type RedisClient } from './redis-client.ts';
import { Registry } from './registry.ts';

/** Options of a {@link RedisStore}. */
export interface RedisStoreOptions extends HostedStoreOptions {
  /** A `Redis` or `Cluster` of ioredis. You own it: the store never closes it. */
  readonly client: RedisClient;
  /**
   * The prefix of all keys, without braces.
   *
   * @default 'keepsake:'
   */
  readonly keyPrefix?: string;
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms. All stores over the same
   * records must have the same: writing or searching a namespace with another one fails with `BACKEND`.
   *
   * @default the language that each text seems to be in
   */
  readonly language?: Language;
  /**
   * Adds search by meaning to search by words. The vectors are in Redis, and each process keeps a copy of those that it
   * searches. It compares the query with every one, which is fast enough for about 100,000 records in a namespace.
   *
   * @default none: search by words only
   */
  readonly embedder?: Embedder;
}

/**
 * Memory in Redis, on one server or a cluster, without a module. Many processes and machines can share it.
 *
 * Each change is one script, and so is a batch: all of it is written, or nothing. A batch over 256 MiB fails with
 * `TOO_LARGE`. Each namespace is in one hash slot of a cluster. A search is two calls: the server scores words, and the store
 * ranks the best records and fetches the entries. How durable an acknowledged write is depends on `appendfsync` of the server.
 *
 * @example
 * const store = new RedisStore({ client: new Redis(), name: 'facts', namespace: ['user', 'alice'] });
 * await store.put({ content: 'Allergic to hazelnuts' });
 * const [entry] = await store.search('What is she allergic to?');
 */
export class RedisStore extends HostedStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: RedisStoreOptions) {
    const { client, keyPrefix, language, embedder } = options;
    checkEmbedder(embedder);
    checkLanguage(language);
    const prefix = checkPrefix(keyPrefix);
    const registry = new Registry(checkClient(client), prefix);
    super(options, embedder === undefined ? 'lexical' : 'hybrid', (namespace) =>
      hostedRecords(new Records({ client, prefix, namespace, registry, language, embedder }), registry),
    );
  }
}
