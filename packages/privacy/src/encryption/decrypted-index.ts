import type { MemoryEntry, MemoryRecord, Namespace, RecordInput, RecordStore } from '@keepsake/core';
import { type FilterRule, isWithin, matchesFilter, type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import { allItems } from '@keepsake/internal';
import type { RecordSealer } from './record-sealer.ts';

/** How many records are decrypted at a time. */
const BATCH = 500;

/** What is known of a record since it was decrypted. */
interface KnownRecord {
  /** Changes with every change of the record. */
  readonly stamp: string;
  readonly indexed: boolean;
  readonly times: Pick<MemoryRecord, 'createdAt' | 'updatedAt' | 'expiresAt'>;
}

/** The known records of one namespace, by id. */
interface KnownPlace {
  readonly namespace: Namespace;
  readonly records: Map<string, KnownRecord>;
}

/**
 * Searches encrypted records through a store in memory that holds them decrypted. Reads all records before each search, since
 * other processes may have changed them, and decrypts those that are new.
 */
export class DecryptedIndex {
  readonly #store: RecordStore;
  readonly #index: RecordStore;
  readonly #sealerOf: (namespace: Namespace) => RecordSealer;
  readonly #places = new Map<string, KnownPlace>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: RecordStore, index: RecordStore, sealerOf: (namespace: Namespace) => RecordSealer) {
    this.#store = store;
    this.#index = index;
    this.#sealerOf = sealerOf;
  }

  /** Searches a namespace, or it and all below it. */
  async search(namespace: Namespace, search: RecordSearch, descendants: boolean): Promise<MemoryEntry[]> {
    const { query, limit, rules, minScore, explain, signal } = search;
    // One after the other: what is new must be decrypted and embedded once.
    const updated = this.#last.then(() => this.#update(namespace, descendants, signal));
    this.#last = updated.catch(() => undefined);
    await updated;
    const options = {
      ...{ explain, signal, descendants, filter: indexFilter(search) },
      ...(minScore === -Infinity ? {} : { minScore }),
    };
    for (let asked = limit; ; asked *= 4) {
      const hits = await this.#at(namespace).search(query, { ...options, maxSearchResults: asked });
      const entries = hits.flatMap((entry) => this.#entry(entry, namespace, rules));
      if (entries.length >= limit || hits.length < asked) return entries.slice(0, limit);
    }
  }

  /** An entry with the times of the stored record, if it passes the filter. */
  #entry(
    { namespace: indexPath, ...entry }: MemoryEntry,
    searched: Namespace,
    rules: readonly FilterRule[],
  ): MemoryEntry[] {
    const namespace = indexPath && [...this.#store.namespace, ...indexPath.slice(this.#index.namespace.length)];
    const knownRecord = this.#places.get(keyOf(namespace ?? searched))?.records.get(entry.id ?? '');
    if (knownRecord === undefined) return [];
    const { metadata = {}, source } = entry;
    if (!matchesFilter(rules, { metadata, ...(source && { source }), ...knownRecord.times })) return [];
    const { createdAt, updatedAt } = knownRecord.times;
    return [{ ...entry, createdAt, updatedAt, ...(namespace && { namespace }) }];
  }

  async #update(namespace: Namespace, descendants: boolean, signal: AbortSignal | undefined): Promise<void> {
    const places = new Map([[keyOf(namespace), { namespace, records: [] as MemoryRecord[] }]]);
    const store = this.#store.within(namespace.slice(this.#store.namespace.length));
    const list = (page: object) => store.list({ ...page, order: 'oldest', descendants, signal });
    for await (const record of allItems(list)) {
      const at = record.namespace ?? namespace;
      const place = places.get(keyOf(at)) ?? { namespace: at, records: [] };
      place.records.push(record);
      places.set(keyOf(at), place);
    }
    for (const [key, place] of this.#places) {
      const isGone = descendants && isWithin(place.namespace, namespace) && !places.has(key);
      if (isGone) places.set(key, { namespace: place.namespace, records: [] });
    }
    for (const place of places.values()) await this.#updatePlace(place.namespace, place.records, signal);
  }

  async #updatePlace(
    namespace: Namespace,
    records: readonly MemoryRecord[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { records: knownRecords } = this.#places.get(keyOf(namespace)) ?? { records: new Map<string, KnownRecord>() };
    if (records.length === 0 && knownRecords.size === 0) return;
    this.#places.set(keyOf(namespace), { namespace, records: knownRecords });
    const index = this.#at(namespace);
    const ids = new Set(records.map(({ id }) => id));
    for (const id of [...knownRecords.keys()].filter((id) => !ids.has(id))) {
      await index.delete(id);
      knownRecords.delete(id);
    }
    if (knownRecords.size === 0) this.#places.delete(keyOf(namespace));
    const changed = records.filter((record) => knownRecords.get(record.id)?.stamp !== stampOf(record));
    const sealer = this.#sealerOf(namespace);
    for (let start = 0; start < changed.length; start += BATCH) {
      throwIfAborted(signal);
      const batch = changed.slice(start, start + BATCH);
      const opened = await Promise.all(batch.map((record) => sealer.open(record)));
      await this.#put(index, knownRecords, opened);
      for (const [at, record] of batch.entries()) {
        const { createdAt, updatedAt, expiresAt } = record;
        knownRecords.set(record.id, {
          stamp: stampOf(record),
          indexed: (opened[at] as MemoryRecord).index,
          times: { createdAt, updatedAt, ...(expiresAt && { expiresAt }) },
        });
      }
      this.#places.set(keyOf(namespace), { namespace, records: knownRecords });
    }
  }

  async #put(
    index: RecordStore,
    knownRecords: ReadonlyMap<string, KnownRecord>,
    opened: readonly MemoryRecord[],
  ): Promise<void> {
    for (const { id, createdAt, index: isIndexed } of opened) {
      const before = knownRecords.get(id);
      // A replacement would keep the time of creation.
      if (before?.indexed && (!isIndexed || before.times.createdAt !== createdAt)) await index.delete(id);
    }
    await index.putMany(opened.filter((record) => record.index).flatMap(toIndexed));
  }

  #at(namespace: Namespace): RecordStore {
    return this.#index.within(namespace.slice(this.#store.namespace.length));
  }
}

/** The filter without the times that differ in the index: when a record was replaced there, and when it expires there. */
function indexFilter({ filter = {} }: RecordSearch): NonNullable<RecordSearch['filter']> {
  const { updatedAt, expiresAt, ...rest } = filter;
  return rest;
}

function toIndexed({ id, content, metadata, createdAt, expiresAt, turn, source }: MemoryRecord): RecordInput[] {
  const ttlMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - Date.now();
  return ttlMs !== undefined && ttlMs < 1 ? [] : [{ id, content, metadata, createdAt, ttlMs, turn, source }];
}

/** The ciphertext ends with its tag, which differs each time. */
function stampOf({ version, updatedAt, content }: MemoryRecord): string {
  return `${version} ${updatedAt} ${content.slice(-40)}`;
}

function keyOf(namespace: Namespace): string {
  return JSON.stringify(namespace);
}
