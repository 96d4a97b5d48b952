import type { CompactOptions, MemoryEntry, MemoryRecord, Namespace, NamespaceInfo, Page } from '@keepsake/core';
import {
  checkRemoval,
  type IdentifiedRecord,
  keptRecord,
  type NamespaceList,
  type NamespaceRecords,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
  throwIfAborted,
} from '@keepsake/core/adapter';
import { AnalysisAhead } from './analysis-ahead.ts';
import { ListSteps } from './list-steps.ts';
import { type SearchOptions, searchPlace, searchPlaces, vectorsOf } from './place-search.ts';
import { type RecordChange, type RecordPlace, type RecordSpace, readInSteps } from './record-space.ts';
import { type StoredRecord, toRecord } from './stored-record.ts';

/** The records of one namespace of a {@link RecordSpace}, searched in this process. */
export class EmbeddedRecords implements NamespaceRecords {
  readonly #space: RecordSpace;
  readonly #namespace: Namespace;
  readonly #place: RecordPlace;
  readonly #options: SearchOptions;
  readonly #ahead: AnalysisAhead;

  constructor(space: RecordSpace, namespace: Namespace, options: SearchOptions) {
    this.#space = space;
    this.#namespace = namespace;
    this.#place = space.open(namespace);
    this.#options = options;
    this.#ahead = new AnalysisAhead(options.language);
  }

  get(id: string): Promise<MemoryRecord | undefined> {
    return this.#place.read((table) => copyOf(table.get(id)));
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<MemoryRecord[]> {
    const vectors = await this.#vectorsOf(records, options);
    throwIfAborted(options.signal);
    let stored: StoredRecord[] = [];
    const change = () =>
      this.#place.change((table) => {
        const [kept] = records.map((record) => keptRecord(record, table.get(record.id), options));
        stored = kept ? [kept] : table.revise(records, new Date());
        return kept ? [] : stored.map((put, index) => withVector(put, vectors[index]));
      });
    await this.#ahead.before(change, { records, signal: options.signal });
    return stored.map(toRecord);
  }

  async delete(id: string, options: RemovalOptions): Promise<boolean> {
    let record: StoredRecord | undefined;
    const change = () =>
      this.#place.change((table) => {
        record = table.get(id);
        if (record === undefined) return [];
        checkRemoval(record, options);
        return [{ delete: id }];
      });
    await this.#ahead.before(change);
    return record !== undefined;
  }

  async clear(descendants: boolean): Promise<number> {
    let count = await this.#ahead.before(() => this.#place.clear());
    if (!descendants) return count;
    for (const namespace of await this.#space.namespacesBelow(this.#namespace))
      count += await this.#space.open(namespace).clear();
    return count;
  }

  list(list: RecordList): Promise<Page<MemoryRecord>> {
    const steps = new ListSteps();
    return readInSteps(this.#place, (table) => table.listStep(list, steps), list.signal);
  }

  namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    return this.#space.nextNamespaces(this.#namespace, list);
  }

  search(search: RecordSearch): Promise<MemoryEntry[]> {
    return searchPlace(this.#place, search, this.#options);
  }

  async searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    const namespaces = [this.#namespace, ...(await this.#space.namespacesBelow(this.#namespace))];
    const open = (namespace: Namespace) => (namespace === this.#namespace ? this.#place : this.#space.open(namespace));
    return searchPlaces(namespaces, open, search, this.#options);
  }

  async compact(options: CompactOptions): Promise<void> {
    await this.#place.compact?.(options);
  }

  async close(): Promise<void> {
    await this.#place.close?.();
  }

  /** None for a retry, because embedding may cost money. */
  async #vectorsOf(
    records: readonly IdentifiedRecord[],
    options: PutOptions,
  ): Promise<readonly (Float32Array | undefined)[]> {
    const [first] = records as [IdentifiedRecord];
    const { embedder } = this.#options;
    const isKept = () => this.#place.read((table) => keptRecord(first, table.get(first.id), options) !== undefined);
    if (embedder !== undefined && options.unlessSame && (await isKept())) return [];
    return vectorsOf(records, embedder, options.signal);
  }
}

function copyOf(record: StoredRecord | undefined): MemoryRecord | undefined {
  return record && toRecord(record);
}

function withVector(put: StoredRecord, vector: Float32Array | undefined): RecordChange {
  return vector === undefined ? { put } : { put, vector };
}
