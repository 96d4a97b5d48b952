import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { LOG_STORE_OPTIONS, LogStore, type LogStoreOptions } from '@keepsake/search';
import { CONNECTION_OPTIONS, checkConnection, type RedisConnectionOptions } from './client/connection-options.ts';
import { RedisLogs } from './stores/redis-logs.ts';
import { Registry } from './stores/registry.ts';

/** Options of a {@link RedisStore}. */
export interface RedisStoreOptions extends LogStoreOptions, RedisConnectionOptions {}

const OPTIONS: FieldNames<RedisStoreOptions> = { ...LOG_STORE_OPTIONS, ...CONNECTION_OPTIONS };

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
export class RedisStore extends LogStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: RedisStoreOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    const { client, keyPrefix: prefix } = checkConnection(checkedOptions);
    const registry = new Registry(client, prefix);
    super(checkedOptions, new RedisLogs({ client, prefix, registry, embedder: checkedOptions.embedder }), OPTIONS);
  }
}
