import type { Namespace, NamespaceInfo } from '@keepsake/core';
import type { NamespaceList } from '@keepsake/core/adapter';
import { Pauses } from '@keepsake/internal';
import { firstIn } from './sorted-entries.ts';

/** From this many changes on, sorting all namespaces is quicker than moving each to its place. */
const MANY_CHANGES = 1_000;

/**
 * Namespaces in memory, in the order of `nextNamespaces`, found by what is above them and by their segments. So a list costs with
 * what it returns, however many others there are.
 */
export class NamespaceOrder<Entry extends { readonly namespace: Namespace }> {
  readonly #entries = new Map<string, Entry>();
  /** The sorted keys of the namespaces with a segment; those of `undefined` are all. May lack the last changes. */
  #lists = new Map<string | undefined, string[]>();
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();
  /** Changes with the lists. */
  #version = 0;

  get(namespace: Namespace): Entry | undefined {
    return this.#entries.get(keyOf(namespace));
  }

  set(entry: Entry): void {
    const key = keyOf(entry.namespace);
    if (!this.#entries.has(key)) this.#added.add(key);
    this.#entries.set(key, entry);
  }

  delete(namespace: Namespace): void {
    const key = keyOf(namespace);
    if (this.#entries.delete(key) && !this.#added.delete(key)) this.#removed.add(key);
  }

  /** Those strictly below a namespace, in order. They may change meanwhile. */
  *below(namespace: Namespace, { after, segment, beyond }: Partial<NamespaceList> = {}): Iterable<Entry> {
    this.#sort();
    const start = keyOf(namespace);
    const prefix = prefixOf(namespace);
    const skipped = beyond && prefixOf(beyond);
    let last = after === undefined || keyOf(after) < start ? start : keyOf(after);
    let version = -1;
    let keys: readonly string[] = [];
    for (let place = 0; ; place++) {
      if (version !== this.#version) {
        version = this.#version;
        keys = this.#lists.get(segment) ?? [];
        place = firstAfter(keys, last);
      }
      const key = keys[place];
      if (key === undefined || !key.startsWith(prefix)) return;
      last = key;
      if (skipped !== undefined && key.startsWith(skipped)) {
        place = firstIn(keys, (one) => one > skipped && !one.startsWith(skipped)) - 1;
        continue;
      }
      const entry = this.#entries.get(key);
      if (entry !== undefined) yield entry;
    }
  }

  /** The next of them with their counts. Counts no more namespaces than needed. */
  async next(
    below: Namespace,
    list: NamespaceList,
    count: (entry: Entry) => number | Promise<number>,
  ): Promise<NamespaceInfo[]> {
    const pauses = new Pauses();
    const infos: NamespaceInfo[] = [];
    for (const entry of this.below(below, list)) {
      if (infos.length === list.limit) break;
      const recordCount = await count(entry);
      if (recordCount > 0 || list.empty) infos.push({ namespace: entry.namespace, recordCount });
      await pauses.afterStep();
    }
    return infos;
  }

  #sort(): void {
    const changes = this.#added.size + this.#removed.size;
    if (changes === 0) return;
    if (changes < MANY_CHANGES) this.#moveEach();
    else this.#sortAll();
    this.#added.clear();
    this.#removed.clear();
    this.#version++;
  }

  #moveEach(): void {
    for (const key of this.#removed) {
      for (const segment of segmentsOf(key)) {
        const keys = this.#lists.get(segment) as string[];
        keys.splice(firstAfter(keys, key) - 1, 1);
        if (keys.length === 0) this.#lists.delete(segment);
      }
    }
    for (const key of this.#added) {
      for (const segment of segmentsOf(key)) {
        const keys = this.#lists.get(segment);
        if (keys === undefined) this.#lists.set(segment, [key]);
        else keys.splice(firstAfter(keys, key), 0, key);
      }
    }
  }

  #sortAll(): void {
    this.#lists = new Map();
    // Without a function that compares them, strings are sorted by code units.
    for (const key of [...this.#entries.keys()].sort()) {
      for (const segment of segmentsOf(key)) {
        const keys = this.#lists.get(segment);
        if (keys === undefined) this.#lists.set(segment, [key]);
        else keys.push(key);
      }
    }
  }
}

/** Segments contain no NUL, so it sorts a parent before its children and separates joined segments. */
function keyOf(namespace: Namespace): string {
  return namespace.join('\0');
}

/** With what the keys of everything strictly below a namespace begin. */
function prefixOf(namespace: Namespace): string {
  return namespace.length === 0 ? '' : `${keyOf(namespace)}\0`;
}

/** Under what a namespace is listed: its segments, each once, and `undefined`. */
function segmentsOf(key: string): Set<string | undefined> {
  return new Set([undefined, ...key.split('\0')]);
}

/** The index of the first key after this one. */
function firstAfter(keys: readonly string[], key: string): number {
  return firstIn(keys, (one) => one > key);
}
