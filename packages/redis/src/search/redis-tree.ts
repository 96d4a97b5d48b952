import type { MemoryEntry } from '@keepsake/core';
import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import { searchTree } from '@keepsake/search/remote';
import { namespacePath } from '../client/keys.ts';
import { namespacesBelow } from '../stores/namespaces.ts';
import type { Records } from '../stores/records.ts';
import type { Registry } from '../stores/registry.ts';
import { embedQuery } from './meaning.ts';
import { RedisPlace } from './redis-place.ts';
import { timeArguments } from './search-arguments.ts';

/** A namespace with all namespaces below it. */
export class RedisTree {
  readonly #top: Records;
  readonly #registry: Registry;
  /** By path, as of the last search. Kept for their copies of the vectors. */
  #below: ReadonlyMap<string, Records> = new Map();

  constructor(top: Records, registry: Registry) {
    this.#top = top;
    this.#registry = registry;
  }

  /** Searches all of them, best first. */
  async search(search: RecordSearch): Promise<MemoryEntry[]> {
    const top = this.#top;
    const now = new Date();
    const [vector, below] = await Promise.all([embedQuery(top, search), this.#readBelow()]);
    throwIfAborted(search.signal);
    const shared = { ...search, vector, times: timeArguments(search.query, now) };
    const all = new Map([top, ...below].map((records) => [records.namespace, records]));
    return searchTree([...all.keys()], (namespace) => new RedisPlace(all.get(namespace) as Records, shared), search, {
      language: top.language,
      now,
    });
  }

  async #readBelow(): Promise<Iterable<Records>> {
    const below = new Map<string, Records>();
    for await (const namespace of namespacesBelow(this.#registry, this.#top.namespace)) {
      const path = namespacePath(namespace);
      below.set(path, this.#below.get(path) ?? this.#top.at(namespace));
    }
    if (this.#top.vectors !== undefined) this.#below = below;
    return below.values();
  }
}
