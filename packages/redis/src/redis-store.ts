import type { Embedder } from '@keepsake/core';
import {
  AbstractRecordStore,
  expectKnownFields,
  type FieldNames,
  indexedFields,
  type RecordStoreOptions,
  STORE_OPTIONS,
} from '@keepsake/core/adapter';
import { checkEmbedder, checkLanguage, type Language } from '@keepsake/search';
import { CONNECTION_OPTIONS, checkConnection, type RedisConnectionOptions } from './client/connection-options.ts';
import { namespaceRecords } from './redis-records.ts';
import { Records } from './stores/records.ts';
import { Registry } from './stores/registry.ts';

/** Options of a {@link RedisStore}. */
export interface RedisStoreOptions extends RecordStoreOptions, RedisConnectionOptions {
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms. All stores over the same
   * records must use the same language: writing or searching a namespace with another one rejects with `BACKEND`.
   *
   * @default detected for each text
   */
  readonly language?: Language | undefined;
  /**
   * Adds search by meaning to search by words. Redis stores the vectors, and each process keeps a copy of those that it
   * searches. It compares the query with all of them, which is fast enough for about 100,000 records in a namespace.
   *
   * @default none: search by words only
   */
  readonly embedder?: Embedder | undefined;
  /**
   * Fields of filters that an index serves, by their names in filters: `['kind', 'source.run']`. A search or list whose filter
   * requires one value of such a field then reads the records with this value instead of all. The index is made by the first
   * search or list that needs it, from the records that are there, and kept by all later writes, also those of other stores.
   * Results are the same with and without.
   *
   * @default none
   */
  readonly indexed?: readonly string[] | undefined;
}

const OPTIONS: FieldNames<RedisStoreOptions> = {
  ...STORE_OPTIONS,
  ...CONNECTION_OPTIONS,
  language: true,
  embedder: true,
  indexed: true,
};

/**
 * Memory in Redis, on one server or a cluster, without a module. Many processes and machines can share it.
 *
 * Each change is atomic, and so is a batch. A batch larger than 256 MiB rejects with `TOO_LARGE`. How durable an acknowledged
 * write is depends on `appendfsync` of the server.
 *
 * @example
 * const store = new RedisStore({ client: new Redis(), name: 'facts', namespace: ['u', 'alice'] });
 * await store.put({ content: 'Allergic to hazelnuts' });
 * const [entry] = await store.search('What is she allergic to?');
 */
export class RedisStore extends AbstractRecordStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: RedisStoreOptions) {
    const given = expectKnownFields(options, OPTIONS);
    const { language, embedder } = given;
    checkEmbedder(embedder);
    checkLanguage(language);
    const indexed = indexedFields(given.indexed);
    const { client, keyPrefix: prefix } = checkConnection(given);
    const registry = new Registry(client, prefix);
    super(given, {
      capabilities: {
        search: embedder === undefined ? 'lexical' : 'hybrid',
        consistency: 'strong',
        durable: true,
        shared: true,
        atomicBatch: true,
        ttl: true,
        enumerate: true,
        filter: true,
        history: true,
      },
      open: (namespace) =>
        namespaceRecords(new Records({ client, prefix, namespace, registry, language, embedder, indexed }), registry),
    });
  }
}
