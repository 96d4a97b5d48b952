import { createHash } from 'node:crypto';
import { MemoryError, type Namespace } from '@keepsake/core';

/*
 * Every key that Keepsake has in Redis. The text in braces decides the hash slot, so that keys that change together are on
 * one node of a cluster.
 */

const DEFAULT_PREFIX = 'keepsake:';

/** The number of hash slots that sessions are spread over. With another number, no stored session is found again. */
export const SESSION_SHARDS = 64;

/** The prefix, or the default; `INVALID_ARGUMENT` for one that can't be used. */
export function checkPrefix(keyPrefix: unknown = DEFAULT_PREFIX): string {
  // An empty tag makes Redis hash the whole key, and braces that are left open swallow a tag of ours.
  if (typeof keyPrefix === 'string' && keyPrefix !== '' && !/[{}]/.test(keyPrefix)) return keyPrefix;
  throw new MemoryError(
    'INVALID_ARGUMENT',
    "`keyPrefix` must be a non-empty string without braces, such as 'my-app:keepsake:'.",
  );
}

/** The keys of a session, and those that the sessions of its shard share. */
export interface SessionKeys {
  /** List: the items as JSON, the oldest first. */
  readonly items: string;
  /**
   * Hash: when the session was `created`, and when it was last `rewritten`: changed otherwise than by an append; for
   * one that expires, when at the latest, as `listed` in its shard. For the last operations what was done,
   * `operation:<id>`, and its `place:<number>` among all; how many `operations` there were.
   */
  readonly facts: string;
  /** Sorted set of the shard: session ids by their last activity, in microseconds since 1970. */
  readonly sessions: string;
  /** Sorted set of the shard: ids of sessions that expire by when they surely have, in milliseconds since 1970. */
  readonly expiry: string;
  /** Where the marks of changes are, see {@link marksKey}. */
  readonly marks: string;
}

export function sessionKeys(prefix: string, sessionId: string): SessionKeys {
  const shard = shardOf(sessionId);
  const own = `${shardTag(prefix, shard)}session:${encodeURIComponent(sessionId)}`;
  return { items: `${own}:items`, facts: `${own}:facts`, ...shardKeys(prefix, shard) };
}

/** The keys that the sessions of a shard share; see {@link SessionKeys}. */
export function shardKeys(prefix: string, shard: number) {
  const tag = shardTag(prefix, shard);
  return { sessions: `${tag}sessions`, expiry: `${tag}session-expiry`, marks: `${tag}session-marks` };
}

function shardTag(prefix: string, shard: number): string {
  return `${prefix}{s${shard}}:`;
}

/** The shard of a session: a number below {@link SESSION_SHARDS}. */
export function shardOf(sessionId: string): number {
  return createHash('sha1').update(sessionId).digest().readUInt32BE() % SESSION_SHARDS;
}

/** The keys of a namespace. They are in one hash slot, and their names don't reveal the namespace. */
export interface StoreKeys {
  /** Hash: the records in the order of creation, see `records-lua.ts`. */
  readonly records: string;
  /** Hash: which record is of an id, see `records-lua.ts`. */
  readonly ids: string;
  /** Hash: which records hold a term, see `postings-lua.ts`. */
  readonly terms: string;
  /** Hash: the order of turns, see `index-lua.ts`. */
  readonly threads: string;
  /** Hash: the speakers by name: a number of their own, how many turns are theirs, what they are called by. */
  readonly speakers: string;
  /** Hash: what is counted, see `facts-lua.ts`. */
  readonly facts: string;
  /** Sorted set: the documents by when they expire, in milliseconds since 1970. */
  readonly expiry: string;
  /** Hash: vectors by document, see `vector-replica.ts`. */
  readonly vectors: string;
  /** Sorted set: the documents whose vectors changed, by the numbers of the changes; see `index-lua.ts`. */
  readonly vectorLog: string;
  /** Text, for a minute after the namespace was emptied; see `registry.ts`. */
  readonly gate: string;
  /** Where the marks of changes are, see {@link marksKey}. */
  readonly marks: string;
}

export function storeKeys(prefix: string, namespace: Namespace): StoreKeys {
  // 128 bits of a hash: nobody finds two namespaces of one.
  const hash = createHash('sha256').update(namespacePath(namespace)).digest().subarray(0, 16).toString('base64url');
  const tagged = `${prefix}{m${hash}}:`;
  return {
    records: `${tagged}records`,
    ids: `${tagged}ids`,
    terms: `${tagged}terms`,
    threads: `${tagged}threads`,
    speakers: `${tagged}speakers`,
    facts: `${tagged}facts`,
    expiry: `${tagged}expiry`,
    vectors: `${tagged}vectors`,
    vectorLog: `${tagged}vector-log`,
    gate: `${tagged}gate`,
    marks: `${tagged}marks`,
  };
}

/**
 * Where marks are of the changes that were sent in a period, which tell one that is sent again: a set for the sessions of a
 * shard, for a namespace a hash with what they came to. What is sent again asks for the key that it asked for at first,
 * so that clocks need not agree on the period.
 */
export function marksKey({ marks }: { readonly marks: string }, period: number): string {
  return `${marks}:${period}`;
}

/** The keys that know all namespaces. */
export function registryKeys(prefix: string) {
  const tagged = `${prefix}{namespaces}:`;
  return {
    /** Sorted set: the paths of the namespaces that may hold records, all of score 0 and so in their order as texts. */
    paths: `${tagged}paths`,
    /** Hash: a mark for each path, another one each time that it is registered. */
    marks: `${tagged}marks`,
  };
}

/** A namespace as a text of URI characters, its segments each after a slash; the root is one slash. */
export function namespacePath(namespace: Namespace): string {
  return namespace.length === 0 ? '/' : namespace.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

/** Reads what {@link namespacePath} wrote. */
export function readNamespacePath(path: string): Namespace {
  return path === '/' ? [] : path.slice(1).split('/').map(decodeURIComponent);
}
