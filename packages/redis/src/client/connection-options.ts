import { expect, type FieldNames, type WithDefaults } from '@keepsake/core/adapter';
import type { RedisClient } from './redis-client.ts';

/** What sessions and stores need to reach Redis. */
export interface RedisConnectionOptions {
  /** A `Redis` or `Cluster` of ioredis. You own it: Keepsake never closes it. */
  readonly client: RedisClient;
  /**
   * The prefix of all keys, without braces. Data under different prefixes is separate.
   *
   * @default 'keepsake:'
   */
  readonly keyPrefix?: string | undefined;
}

/** The names of {@link RedisConnectionOptions}. */
export const CONNECTION_OPTIONS: FieldNames<RedisConnectionOptions> = { client: true, keyPrefix: true };

/** Returns the options with their defaults. Throws `INVALID_ARGUMENT` for invalid options. */
export function checkConnection(options: RedisConnectionOptions): WithDefaults<RedisConnectionOptions> {
  const { client, keyPrefix = 'keepsake:' } = options;
  const isClient = typeof client?.callBuffer === 'function';
  expect(isClient, '`client` must be a Redis or Cluster of ioredis, such as new Redis().');
  // With an empty tag, Redis hashes the whole key; a brace that is left open swallows a tag of ours.
  const isPrefix = typeof keyPrefix === 'string' && keyPrefix !== '' && !/[{}]/.test(keyPrefix);
  expect(isPrefix, "`keyPrefix` must be a non-empty string without braces, such as 'my-app:keepsake:'.");
  return { client, keyPrefix };
}
