import { createHash } from 'node:crypto';
import type { Namespace } from '@keepsake/core';
import { namespacePath } from '../client/keys.ts';

/** What the keys of a namespace end with, in the order in which scripts take the keys. */
const LOG_KEYS = {
  /** Hash: the records by id, see `stored-value.ts`. */
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
  /** Hash: see `STATE` in `log-scripts.ts`. */
  state: 'facts',
  /** Hash: saved indexes, see `log-scripts.ts`. */
  index: 'index',
  /** String: exists for a minute after the namespace was emptied, see `stores/registry.ts`. */
  gate: 'gate',
  /** Begins the keys of recent changes, see `requestsKey`. */
  requests: 'marks',
} as const;

/** The keys of a namespace. They are in one hash slot, and their names don't reveal the namespace. */
export type LogKeys = { readonly [Name in keyof typeof LOG_KEYS]: string };

/** The names of {@link LogKeys}, in the order in which scripts take the keys. */
export const LOG_KEY_NAMES = Object.keys(LOG_KEYS) as (keyof LogKeys)[];

export function logKeys(prefix: string, namespace: Namespace): LogKeys {
  // 128 bits of a hash: nobody finds two namespaces with the same.
  const hash = createHash('sha256').update(namespacePath(namespace)).digest().subarray(0, 16).toString('base64url');
  return Object.fromEntries(LOG_KEY_NAMES.map((name) => [name, `${prefix}{n${hash}}:${LOG_KEYS[name]}`])) as LogKeys;
}
