import {
  type CompactOptions,
  type JsonObject,
  type JsonObjectInput,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  type NamespaceInfo,
  type Page,
  type RecordSearchOptions,
  type RecordStore,
} from '@keepsake/core';
import {
  canonicalJson,
  type IdentifiedRecord,
  type NamespaceList,
  type NamespaceRecords,
  nextNamespacesOf,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
} from '@keepsake/core/adapter';
import { versionsOf } from '@keepsake/internal';

/** The access of a principal to a namespace. */
export interface Guard {
  /** Runs a write or refuses it. Calls `work` immediately, before the caller can change its arguments. */
  readonly write: <T>(work: () => Promise<T>) => Promise<T>;
  /** The writer to record in metadata. Set for shared namespaces, which have nothing below them. */
  readonly writtenBy?: string;
}

/** The records of a store with the access of one principal. */
export class GuardedRecords implements NamespaceRecords {
  readonly #store: RecordStore;
  readonly #writtenBy: string | undefined;

  constructor(store: RecordStore, { writtenBy }: Guard) {
    this.#store = store;
    this.#writtenBy = writtenBy;
  }

  get(id: string, asOf?: string): Promise<MemoryRecord | undefined> {
    return this.#store.get(id, { asOf });
  }

  history(id: string): Promise<MemoryRecord[]> {
    return this.#store.history(id);
  }

  search(search: RecordSearch): Promise<MemoryEntry[]> {
    return this.#search(search);
  }

  async searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    if (!this.#isShared) return this.#search(search, { descendants: true });
    const { namespace } = this.#store;
    return (await this.#search(search)).map((entry) => ({ ...entry, namespace }));
  }

  list({ rules, ...options }: RecordList): Promise<Page<MemoryRecord>> {
    return this.#store.list(options);
  }

  async namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    return this.#isShared ? [] : nextNamespacesOf(this.#store, list);
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]> {
    const { unlessSame = false, ...conditions } = options;
    const [first] = records as [IdentifiedRecord];
    if (unlessSame) return [await this.#add(first)];
    if (records.length > 1) {
      const ifVersions = versionsOf(records);
      return this.#store.putMany(
        records.map((record) => this.#stamp(record)),
        { ifVersions },
      );
    }
    const { ifVersion } = first;
    return [await this.#store.put(this.#stamp(first), { ...conditions, ifVersion })];
  }

  delete(id: string, { ifVersion, alone }: RemovalOptions): Promise<boolean> {
    return this.#store.delete(id, { ifVersion, alone });
  }

  clear(descendants: boolean): Promise<number> {
    return this.#store.clear({ descendants: descendants && !this.#isShared });
  }

  async compact(options: CompactOptions): Promise<void> {
    await this.#store.compact?.(options);
  }

  #search(
    { query, limit, rules, minScore, ...options }: RecordSearch,
    tree: Pick<RecordSearchOptions, 'descendants'> = {},
  ): Promise<MemoryEntry[]> {
    const threshold = minScore === -Infinity ? {} : { minScore };
    return this.#store.search(query, { ...options, ...threshold, ...tree, maxSearchResults: limit });
  }

  get #isShared(): boolean {
    return this.#writtenBy !== undefined;
  }

  /** Adds a text. A shared text that is already stored is not written again if only the time differs. */
  async #add(record: IdentifiedRecord): Promise<MemoryRecord> {
    const { id, content, metadata } = record;
    if (!this.#isShared) return this.#store.add(content, metadata);
    const stamped = this.#stamp(record);
    const storedRecord = await this.#store.get(id);
    const same = storedRecord?.content === content && sameExceptTime(storedRecord.metadata, stamped.metadata);
    return same ? storedRecord : this.#store.put(stamped);
  }

  /** Adds the writer and the time to a record. A principal cannot write in the name of another. */
  #stamp(record: IdentifiedRecord): IdentifiedRecord {
    const writtenBy = this.#writtenBy;
    const { metadata } = record;
    if (writtenBy === undefined) return record;
    if (Object.hasOwn(metadata, 'writtenBy') && metadata.writtenBy !== writtenBy) {
      throw new MemoryError(
        'INVALID_ARGUMENT',
        '`metadata.writtenBy` names another principal. Omit it: it is set automatically.',
      );
    }
    return { ...record, metadata: { ...metadata, writtenBy, writtenAt: new Date().toISOString() } };
  }
}

function sameExceptTime(a: JsonObject, b: JsonObjectInput): boolean {
  const [one, other] = [a, b].map(({ writtenAt, ...rest }) => canonicalJson(rest, 'metadata'));
  return one === other;
}
