import { randomUUID } from 'node:crypto';
import type { Namespace } from '@keepsake/core';
import type { NamespaceList } from '@keepsake/core/adapter';
import { namespacePath, readNamespacePath, registryKeys, type StoreKeys } from '../client/keys.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { run } from '../client/script.ts';
import { EMPTY } from '../lua/records/log-scripts.ts';
import { LIST_TEXTS, REGISTER, REGISTRATION, UNREGISTER } from '../lua/records/registry.ts';

/*
 * Which namespaces may hold records. In a cluster, the registry and a namespace can be on different nodes, and no script can
 * change both. Yet every namespace that holds a record must be registered, or erasing would miss it.
 *
 * To register: the namespace's `PUT` refuses and replies with its gate. The registry gets the path with a fresh registration.
 * `PUT` is sent again with the gate, and succeeds only if the gate is still the same and less than 50 seconds old.
 *
 * To unregister: the registration is read. The namespace is emptied, which changes its gate for a minute. The path is removed
 * only if it still has the registration that was read. So if a `PUT` comes in between, either it finds another gate and
 * registers again, or the path has another registration and stays. A path without records does no harm.
 */

/** Which paths to list: see `NamespaceList`. */
export type PathRange = Pick<NamespaceList, 'after' | 'beyond' | 'segment'>;

/** The registry of the namespaces under one key prefix. */
export class Registry {
  readonly #client: RedisClient;
  readonly #paths: string;
  readonly #segments: string;
  readonly #keys: readonly string[];

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    const { paths, registrations, segments } = registryKeys(prefix);
    this.#paths = paths;
    this.#segments = segments;
    this.#keys = [paths, registrations, segments];
  }

  async register(namespace: Namespace): Promise<void> {
    await run(this.#client, REGISTER, this.#keys, [namespacePath(namespace), randomUUID()]);
  }

  /**
   * Removes all records of a namespace, then the namespace. With `onlyEmpty`, does nothing if it holds a record. Returns how
   * many records there were.
   */
  async empty(namespace: Namespace, keys: StoreKeys, onlyEmpty: boolean): Promise<number> {
    const path = namespacePath(namespace);
    const registration = await run(this.#client, REGISTRATION, this.#keys, [path]);
    if (registration === null && onlyEmpty) return 0;
    const count = await run(this.#client, EMPTY, Object.values(keys), [randomUUID(), onlyEmpty ? '1' : '']);
    if (count === null) return 0;
    if (registration !== null) await run(this.#client, UNREGISTER, this.#keys, [path, String(registration)]);
    return Number(count);
  }

  /** The namespaces strictly below one in the order of their paths, at most `limit`. */
  async below(
    namespace: Namespace,
    { after, beyond, segment, limit }: PathRange & { readonly limit: number },
  ): Promise<Namespace[]> {
    const mark = segment === undefined ? '' : `${encodeURIComponent(segment)} `;
    const [from, to] = rangeBelow(namespace);
    const begin = after === undefined ? `[${mark}${from}` : `(${mark}${namespacePath(after)}`;
    const start = beyond === undefined ? begin : `[${mark}${rangeBelow(beyond)[1]}`;
    const key = segment === undefined ? this.#paths : this.#segments;
    const texts = (await run(this.#client, LIST_TEXTS, [key], [start, `(${mark}${to}`, limit])) as string[];
    return texts.map((text) => readNamespacePath(text.slice(mark.length)));
  }
}

/** The paths below one are from the first of these on, before the second. */
function rangeBelow(namespace: Namespace): readonly [from: string, to: string] {
  const top = namespace.length === 0 ? '' : namespacePath(namespace);
  // `!` is the first character of a segment, `0` the one after the slash.
  return [`${top}/!`, `${top}0`];
}
