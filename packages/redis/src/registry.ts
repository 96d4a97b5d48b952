import { randomUUID } from 'node:crypto';
import type { Namespace } from '@keepsake/core';
import { namespacePath, registryKeys, type StoreKeys } from './keys.ts';
import type { RedisClient } from './redis-client.ts';
import { reading, run, writing } from './script.ts';
import { EMPTY } from './store-scripts.ts';

/*
 * Which namespaces may hold records. In a cluster, the registry and a namespace may lie on different nodes: no script can
 * change both. Yet no namespace that holds a record may be missing here, or nobody would find it to erase it.
 *
 * To register: the namespace's `PUT` refuses, and gives its gate; the registry gets the path with a fresh mark; `PUT` is
 * tried again with the gate, and takes it only if the gate is still the same and was given less than 50 seconds ago.
 * To unregister: the mark is read; the namespace is emptied, which changes its gate for a minute; the path goes only if it
 * still has the mark that was read. So where a `PUT` comes between, either it meets another gate and registers anew, or
 * the path has another mark and stays. A path that is left without records does no harm.
 */

const REGISTER = writing(`
redis.call('HLEN', KEYS[2])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1
`);

const MARK_OF = reading(`return redis.call('HGET', KEYS[2], ARGV[1])`);

const UNREGISTER = writing(`
redis.call('ZCARD', KEYS[1])
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])
`);

/** Paths from one text, on or after it, to another that is excluded. */
const PATHS = reading(`return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])`);

export class Registry {
  readonly #client: RedisClient;
  readonly #keys: readonly string[];

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    const { paths, marks } = registryKeys(prefix);
    this.#keys = [paths, marks];
  }

  async register(namespace: Namespace): Promise<void> {
    await run(this.#client, REGISTER, this.#keys, [namespacePath(namespace), randomUUID()]);
  }

  /** Removes all records of a namespace, or with `onlyEmpty` none, and forgets it. Returns how many there were. */
  async empty(namespace: Namespace, keys: StoreKeys, onlyEmpty = false): Promise<number> {
    const path = namespacePath(namespace);
    const mark = await run(this.#client, MARK_OF, this.#keys, [path]);
    if (mark === null && onlyEmpty) return 0;
    const count = await run(this.#client, EMPTY, Object.values(keys), [randomUUID(), onlyEmpty ? '1' : '']);
    if (count === null) return 0;
    if (mark !== null) await run(this.#client, UNREGISTER, this.#keys, [path, String(mark)]);
    return Number(count);
  }

  /** Paths strictly below a namespace and after `after`, in their order as texts; at most so many. */
  async below(namespace: Namespace, after: string | undefined, limit: number): Promise<string[]> {
    const top = namespacePath(namespace);
    const from = top === '/' ? '/' : `${top}/`;
    // The character after the slash: what begins with `from` comes before it.
    const to = `${from.slice(0, -1)}0`;
    const start = after !== undefined && after >= from ? `(${after}` : `${top === '/' ? '(' : '['}${from}`;
    return (await run(this.#client, PATHS, this.#keys, [start, `(${to}`, limit])) as string[];
  }
}
