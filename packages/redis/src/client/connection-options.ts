import { expect, expectKnownFields, expectWhole, type FieldNames } from '@keepsake/core/adapter';
import type { RedisClient } from './redis-client.ts';
import { ReplicatedClient, type WaitReplicas } from './replicated-client.ts';

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
  /**
   * Acknowledges a change once this many replicas have received it, so that it survives a failover to one of them. If they
   * don't confirm it in time, the call rejects with `OUTCOME_UNKNOWN`: the change was made on the master. While `client`
   * waits, its other commands wait too.
   *
   * @default none: a change is acknowledged once the master has made it
   */
  readonly waitReplicas?: WaitReplicas | undefined;
}

/** The names of {@link RedisConnectionOptions}. */
export const CONNECTION_OPTIONS: FieldNames<RedisConnectionOptions> = {
  client: true,
  keyPrefix: true,
  waitReplicas: true,
};

const WAIT_REPLICAS: FieldNames<WaitReplicas> = { replicas: true, timeoutMs: true };
const MAX_REPLICAS = 1_000;
/** What Redis can count. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A connection whose options are checked. */
export interface RedisConnection {
  /** With `waitReplicas`, one whose changes wait for replicas. */
  readonly client: RedisClient;
  readonly keyPrefix: string;
}

/** Throws `INVALID_ARGUMENT` for invalid options. */
export function checkConnection(options: RedisConnectionOptions): RedisConnection {
  const { client, keyPrefix = 'keepsake:', waitReplicas } = options;
  const isClient = typeof client?.callBuffer === 'function';
  expect(isClient, '`client` must be a Redis or Cluster of ioredis, such as new Redis().');
  // With an empty tag, Redis hashes the whole key; a brace that is left open swallows a tag of ours.
  const isPrefix = typeof keyPrefix === 'string' && keyPrefix !== '' && !/[{}]/.test(keyPrefix);
  expect(isPrefix, "`keyPrefix` must be a non-empty string without braces, such as 'my-app:keepsake:'.");
  return { client: waitReplicas === undefined ? client : replicated(client, waitReplicas), keyPrefix };
}

function replicated(client: RedisClient, options: WaitReplicas): RedisClient {
  const { replicas, timeoutMs } = expectKnownFields(options, WAIT_REPLICAS);
  expectWhole(replicas, '`waitReplicas.replicas`', 1, MAX_REPLICAS);
  expectWhole(timeoutMs, '`waitReplicas.timeoutMs`', 1, MAX_TIMEOUT_MS);
  expect(typeof client.pipeline === 'function', '`waitReplicas` needs a `client` that has pipelines, as ioredis has.');
  return new ReplicatedClient(client, { replicas, timeoutMs });
}
