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

/** The keys of a namespace. They lie in one hash slot, and their names tell nobody whose they are. */
export interface StoreKeys {
  /** Hash: the records by their ids, see `stored-record.ts`. */
  readonly records: string;
  /** List: the ids in the order of creation; the empty text where a record is gone. */
  readonly order: string;
  /** Hash: which records hold a term, see `index-lua.ts`. */
  readonly terms: string;
  /** Hash: which turns stand beside one another, see `index-lua.ts`. */
  readonly threads: string;
  /** Hash: the speakers by name: a number of their own, how many turns are theirs, what they are called by. */
  readonly speakers: string;
  /** Hash: what is counted, see `index-lua.ts`. */
  readonly facts: string;
  /** Sorted set: ids by when they expire, in milliseconds since 1970. */
  readonly expiry: string;
  /** Hash: the vectors of records by their documents, see `vector-replica.ts`. */
  readonly vectors: string;
  /** Sorted set: those documents by when their vectors came, counted from 1. */
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
    order: `${tagged}order`,
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
 * Hash: what the changes that were sent in a period came to, by their marks, which tell one that is sent again. What is
 * sent again asks for the key that it asked for at first, so that clocks need not agree on the period.
 */
export function marksKey({ marks }: Pick<StoreKeys, 'marks'>, period: number): string {
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
