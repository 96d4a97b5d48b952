import type { OpenedConfig } from '@keepsake/config';
import { formatNamespace, type Namespace, parseNamespace, type RecordStore } from '@keepsake/core';
import { isOutbox, LruMap } from '@keepsake/internal';

/** How many namespaces stay open, the latest. A store may hold an index of each in memory. */
const MAX_OPEN = 200;

/** The stores of all namespaces, by name. Below a read-only panel, none of them can be written to. */
export class MemoryPlaces {
  readonly #config: OpenedConfig;
  readonly #readOnly: boolean;
  readonly #open = new LruMap<string, RecordStore>(MAX_OPEN);
  #root: Promise<RecordStore> | undefined;

  constructor(config: OpenedConfig, readOnly: boolean) {
    this.#config = config;
    this.#readOnly = readOnly;
  }

  root(): Promise<RecordStore> {
    const opening = this.#root ?? this.#openRoot();
    this.#root = opening;
    // The next request tries again.
    opening.catch(() => {
      if (this.#root === opening) this.#root = undefined;
    });
    return opening;
  }

  /** @throws MemoryError `INVALID_ARGUMENT` for a text that is no name of a namespace. */
  async at(name: string): Promise<RecordStore> {
    const root = await this.root();
    return this.#open.getOrCreate(name, () => root.within(parseNamespace(name)));
  }

  /** The name of a namespace as a store tells it, with the whole path. */
  async nameOf(namespace: Namespace | undefined, fallback: string): Promise<string> {
    if (namespace === undefined) return fallback;
    return formatNamespace(namespace.slice((await this.root()).namespace.length));
  }

  async #openRoot(): Promise<RecordStore> {
    const store = await this.#config.memory();
    return this.#readOnly ? store.within([], { writable: false }) : store;
  }
}

/** Whether records here are kept by a program for itself: conversations and their runs, and turns that are not saved yet. */
export function isInternal(namespace: Namespace): boolean {
  return isConversations(namespace) || isOutbox(namespace);
}

/** Whether a namespace, from the root of the configuration, is where `ConversationMemory` has its records. */
export function isConversations(namespace: Namespace): boolean {
  return namespace[0] === 'conversations';
}
