import { createHash } from 'node:crypto';
import { MemoryError, type Namespace } from '@keepsake/core';

/*
 * Every key that Keepsake has in Redis. What stands in braces decides the hash slot, so that keys that change together
 * lie on one node of a cluster.
 */

const DEFAULT_PREFIX = 'keepsake:';

/** Sessions are shared out among so many hash slots. Part of what is stored: another number finds no session again. */
export const SESSION_SHARDS = 64;

/** The prefix, or the default; `INVALID_ARGUMENT` for one that can't be used. */
export function checkPrefix(keyPrefix: unknown = DEFAULT_PREFIX): string {
  // An empty tag makes Redis hash the whole key, and braces that are left open swallow a tag of ours.
  if (typeof keyPrefix === 'string' && keyPrefix !== '' && !/[{}]/.test(keyPrefix)) return keyPrefix;
  throw new MemoryError('INVALID_ARGUMENT', "keyPrefix is to be a text without braces, such as 'my-app:keepsake:'.");
}

/** The keys of a session, and of the list of all sessions of its shard. */
export interface SessionKeys {
  /** List: the items as JSON, the oldest first. */
  readonly items: string;
  /** Hash: `created`, in microseconds since 1970; `revision`, which rises with every change. */
  readonly facts: string;
  /** Hash: what was done under an operation id, by the id. */
  readonly operations: string;
  /** List: the operation ids, the newest first. */
  readonly operationOrder: string;
  /** Sorted set: marks of the changes of the last minutes, by when they came. */
  readonly recent: string;
  /** Sorted set of the shard: session ids by their last activity, in microseconds since 1970. */
  readonly sessions: string;
  /** Sorted set of the shard: session ids by when they expire, in milliseconds since 1970. */
  readonly expiry: string;
}

export function sessionKeys(prefix: string, sessionId: string): SessionKeys {
  const shard = shardKeys(prefix, shardOf(sessionId));
  const own = `${shard.tagged}session:${encodeURIComponent(sessionId)}`;
  return {
    items: `${own}:items`,
    facts: `${own}:facts`,
    operations: `${own}:operations`,
    operationOrder: `${own}:operation-order`,
    recent: `${own}:recent`,
    sessions: shard.sessions,
    expiry: shard.expiry,
  };
}

/** The keys that list the sessions of a shard; see {@link SessionKeys}. */
export function shardKeys(prefix: string, shard: number) {
  const tagged = `${prefix}{s${shard}}:`;
  return { tagged, sessions: `${tagged}sessions`, expiry: `${tagged}session-expiry` };
}

function shardOf(sessionId: string): number {
  return createHash('sha1').update(sessionId).digest().readUInt32BE() % SESSION_SHARDS;
}

/** A namespace as a text of URI characters, its segments each after a slash; the root is one slash. */
export function namespacePath(namespace: Namespace): string {
  return namespace.length === 0 ? '/' : namespace.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

/** Reads what {@link namespacePath} wrote. */
export function readNamespacePath(path: string): Namespace {
  return path === '/' ? [] : path.slice(1).split('/').map(decodeURIComponent);
}
