import type { Embedder } from '@keepsake/core';
import { checkEmbedder, checkLanguage, HostedStore, type HostedStoreOptions, type Language } from '@keepsake/search';
import { hostedRecords } from './hosted-records.ts';
import { checkPrefix } from './keys.ts';
import { Records } from './records.ts';
import { checkClient, type RedisClient } from './redis-client.ts';
import { Registry } from './registry.ts';

/** How to open a {@link RedisStore}. */
export interface RedisStoreOptions extends HostedStoreOptions {
  /** A `Redis` or `Cluster` of ioredis. It is the caller's: the store never closes it. */
  readonly client: RedisClient;
  /** What all keys begin with; no braces. By default `keepsake:`. */
  readonly keyPrefix?: string;
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms. By default each text is of
   * the language that it seems to be in. All stores over the same records are to be given the same: what is in a namespace
   * is written and searched in one way, and another is refused with `BACKEND`.
   */
  readonly language?: Language;
  /**
   * Adds search by meaning to that by words. The vectors lie in Redis; each process keeps a copy of those that it searches
   * and compares with every one, which is good for some 100,000 a namespace. Scores are then those of reciprocal rank
   * fusion, 2/61 at most.
   */
  readonly embedder?: Embedder;
}

/**
 * Memory in Redis, on one server or a cluster, with no module: many processes and machines can share it.
 *
 * Each change is one script, and so is a batch: all of it lands or none; over 256 MiB it is `TOO_LARGE`. Every namespace lies in one hash slot of a
 * cluster. Search ranks on the server; two calls find and fetch the best entries. How durable an acknowledged write is,
 * is for the server's `appendfsync` to say.
 */
export class RedisStore extends HostedStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Sends nothing. */
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
