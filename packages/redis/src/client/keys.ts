import { createHash } from 'node:crypto';
import type { Namespace } from '@keepsake/core';

/*
 * Every key that Keepsake uses in Redis. Keys that change together have the same text in braces: it decides the hash slot, so
 * they are on one node of a cluster. The names of keys are part of the data format, so changing one loses what is stored.
 */

/** The number of hash slots that sessions are spread over. With another number, no stored session is found. */
export const SESSION_SHARDS = 64;

/** The keys of a session, and those that the sessions of its shard share. */
export interface SessionKeys {
  /** List: the items as JSON, oldest first. */
  readonly items: string;
  /**
   * Hash: when the session was `created`; when it was last `rewritten`, which is any change but an append; when it expires
   * at the latest, as `listed` in its shard. How many `operations` it had, and how many of them it has `forgotten`; of the
   * others the digest, `operation:<id>`, and by number the id and its time, `place:<number>`. See `lua/sessions/history.ts`.
   */
  readonly metadata: string;
  /** Sorted set of the shard: session ids by their last activity, in microseconds since 1970. */
  readonly sessions: string;
  /** Sorted set of the shard: ids of sessions that expire by when they have expired for sure, in milliseconds since 1970. */
  readonly expiry: string;
  /** Sorted set of the shard: session ids, all of score 0 and so in their order as texts. */
  readonly ids: string;
  /** Sorted set of the shard: each segment of each id, then a NUL and the id, all of score 0. Segments are between colons. */
  readonly segments: string;
  /** Begins the keys of recent changes, see {@link requestsKey}. */
  readonly requests: string;
}

export function sessionKeys(prefix: string, sessionId: string): SessionKeys {
  const shard = shardOf(sessionId);
  const own = `${shardTag(prefix, shard)}session:${encodeURIComponent(sessionId)}`;
  return { items: `${own}:items`, metadata: `${own}:facts`, ...shardKeys(prefix, shard) };
}

/** The keys that the sessions of a shard share; see {@link SessionKeys}. */
export function shardKeys(prefix: string, shard: number) {
  const tag = shardTag(prefix, shard);
  return {
    sessions: `${tag}sessions`,
    expiry: `${tag}session-expiry`,
    ids: `${tag}session-ids`,
    segments: `${tag}session-segments`,
    requests: `${tag}session-marks`,
  };
}

function shardTag(prefix: string, shard: number): string {
  return `${prefix}{s${shard}}:`;
}

/** The shard of a session: a number below {@link SESSION_SHARDS}. */
export function shardOf(sessionId: string): number {
  return createHash('sha1').update(sessionId).digest().readUInt32BE() % SESSION_SHARDS;
}

/** What the keys of a namespace end with, in the order in which scripts take the keys. */
const STORE_KEYS = {
  /** Hash: the records by id, see `stores/stored-value.ts`. */
  records: 'records',
  /** Sorted set: the ids of the records by the number of their last change. */
  changes: 'changes',
  /** Sorted set: the ids of records that were replaced, by the number of the change that created them. */
  replaced: 'replaced',
  /** Sorted set: the ids of deleted records by the number of the change that deleted them. */
  deleted: 'deleted',
  /** Sorted set: the ids of records that expire by when, in milliseconds since 1970. */
  expiry: 'expiry',
  /** Hash: vectors by id: 8 bytes that identify the embedder, then 32-bit floats. */
  vectors: 'vectors',
  /** Hash: see `STATE` in `lua/records/log-scripts.ts`. */
  state: 'facts',
  /** Hash: saved indexes, see `lua/records/log-scripts.ts`. */
  index: 'index',
  /** String: exists for a minute after the namespace was emptied, see `stores/registry.ts`. */
  gate: 'gate',
  /** Begins the keys of recent changes, see `requestsKey`. */
  requests: 'marks',
} as const;

/** The keys of a namespace. They are in one hash slot, and their names don't reveal the namespace. */
export type StoreKeys = { readonly [Name in keyof typeof STORE_KEYS]: string };

/** The names of {@link StoreKeys}, in the order in which scripts take the keys. */
export const STORE_KEY_NAMES = Object.keys(STORE_KEYS) as (keyof StoreKeys)[];

export function storeKeys(prefix: string, namespace: Namespace): StoreKeys {
  // 128 bits of a hash: nobody finds two namespaces with the same.
  const hash = createHash('sha256').update(namespacePath(namespace)).digest().subarray(0, 16).toString('base64url');
  return Object.fromEntries(
    STORE_KEY_NAMES.map((name) => [name, `${prefix}{m${hash}}:${STORE_KEYS[name]}`]),
  ) as StoreKeys;
}

/**
 * The key for the idempotency keys of the changes that were sent in a period: for the sessions of a shard a set, for a
 * namespace a hash with the replies. A command that is sent again asks for the same key as the first time, so clocks need not
 * agree on the period.
 */
export function requestsKey({ requests }: { readonly requests: string }, period: number): string {
  return `${requests}:${period}`;
}

/** The keys of the registry of namespaces. */
export function registryKeys(prefix: string) {
  const tagged = `${prefix}{namespaces}:`;
  return {
    /** Sorted set: the paths of the namespaces that may hold records, all of score 0 and so in their order as texts. */
    paths: `${tagged}paths`,
    /** Hash: the id of the last registration of each path. */
    registrations: `${tagged}marks`,
    /** Sorted set: each segment of each path, then a space and the path, all of score 0. */
    segments: `${tagged}segments`,
  };
}

/** A namespace as a text of URI characters, with a slash before each segment. The root is one slash. */
export function namespacePath(namespace: Namespace): string {
  return namespace.length === 0 ? '/' : namespace.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

/** The inverse of {@link namespacePath}. */
export function readNamespacePath(path: string): Namespace {
  return path === '/' ? [] : path.slice(1).split('/').map(decodeURIComponent);
}
