import type {
  CompactOptions,
  Embedder,
  MemoryEntry,
  MemoryRecord,
  Namespace,
  NamespaceInfo,
  Page,
} from '@keepsake/core';
import {
  checkRemoval,
  type IdentifiedRecord,
  isWithin,
  keptRecord,
  type NamespaceList,
  type NamespaceRecords,
  nextNamespaces,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
  throwIfAborted,
} from '@keepsake/core/adapter';
import type { Language } from '../languages/language.ts';
import { analyseAhead } from '../text/analyse-ahead.ts';
import { searchTree } from '../tree/search-tree.ts';
import { embed } from '../vectors/embed.ts';
import { AnalysisAhead } from './analysis-ahead.ts';
import { EmbeddedPlace } from './embedded-place.ts';
import { ListSteps } from './list-steps.ts';
import { type RecordChange, type RecordPlace, type RecordSpace, readInSteps, searchInSteps } from './record-space.ts';
import type { TableSearch } from './record-table.ts';
import { type StoredRecord, toRecord } from './stored-record.ts';

/** How records are indexed and searched. */
interface EmbeddedOptions {
  readonly embedder?: Embedder | undefined;
  readonly language?: Language | undefined;
}

/** The records of one namespace of a {@link RecordSpace}, searched in this process. */
export class EmbeddedRecords implements NamespaceRecords {
  readonly #space: RecordSpace;
  readonly #namespace: Namespace;
  readonly #place: RecordPlace;
  readonly #embedder: Embedder | undefined;
  readonly #language: Language | undefined;
  readonly #ahead: AnalysisAhead;

  constructor(space: RecordSpace, namespace: Namespace, { embedder, language }: EmbeddedOptions) {
    this.#space = space;
    this.#namespace = namespace;
    this.#place = space.open(namespace);
    this.#embedder = embedder;
    this.#language = language;
    this.#ahead = new AnalysisAhead(language);
  }

  get(id: string): Promise<MemoryRecord | undefined> {
    return this.#place.read((table) => copyOf(table.get(id)));
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<MemoryRecord[]> {
    const vectors = this.#embedder === undefined ? [] : await this.#embed(this.#embedder, records, options);
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
    let known: StoredRecord | undefined;
    const change = () =>
      this.#place.change((table) => {
        known = table.get(id);
        if (known === undefined) return [];
        checkRemoval(known, options);
        return [{ delete: id }];
      });
    await this.#ahead.before(change);
    return known !== undefined;
  }

  async clear(descendants: boolean): Promise<number> {
    let count = await this.#ahead.before(() => this.#place.clear());
    if (!descendants) return count;
    for (const namespace of await this.#namespacesBelow()) count += await this.#space.open(namespace).clear();
    return count;
  }

  list(list: RecordList): Promise<Page<MemoryRecord>> {
    const steps = new ListSteps();
    return readInSteps(this.#place, (table) => table.listStep(list, steps), list.signal);
  }

  async namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    if (this.#space.nextNamespaces !== undefined) return this.#space.nextNamespaces(this.#namespace, list);
    const countOf = (namespace: Namespace) => this.#space.open(namespace).read((table) => table.size);
    return nextNamespaces(await this.#namespacesBelow(), list, countOf);
  }

  async search(search: RecordSearch): Promise<MemoryEntry[]> {
    const embedded = await this.#embedQuery(search);
    await analyseAhead(search.query, this.#language);
    return searchInSteps(this.#place, (table, steps) => table.searchStep(embedded, steps), search.signal);
  }

  async searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    const now = new Date();
    const embedded = { ...(await this.#embedQuery(search)), now };
    const language = this.#language;
    const namespaces = [this.#namespace, ...(await this.#namespacesBelow())];
    const open = (namespace: Namespace) => {
      const place = namespace === this.#namespace ? this.#place : this.#space.open(namespace);
      return new EmbeddedPlace(place, embedded, language);
    };
    return searchTree(namespaces, open, search, { language, now });
  }

  async compact(options: CompactOptions): Promise<void> {
    await this.#place.compact?.(options);
  }

  async close(): Promise<void> {
    await this.#place.close?.();
  }

  async #embedQuery(search: RecordSearch): Promise<RecordSearch & TableSearch> {
    if (this.#embedder === undefined) return search;
    const [vector] = await embed(this.#embedder, [search.query], search.signal);
    throwIfAborted(search.signal);
    return { ...search, vector: vector as Float32Array };
  }

  /** Returns the vector of each record that search looks at; none for a retry, because embedding may cost money. */
  async #embed(
    embedder: Embedder,
    records: readonly IdentifiedRecord[],
    options: PutOptions,
  ): Promise<readonly (Float32Array | undefined)[]> {
    const [first] = records as [IdentifiedRecord];
    if (options.unlessSame && (await this.#place.read((table) => keptRecord(first, table.get(first.id), options)))) {
      return [];
    }
    const texts = records.flatMap(({ index, content }) => (index ? [content] : []));
    const found = texts.length === 0 ? [] : await embed(embedder, texts, options.signal);
    return records.map(({ index }) => (index ? found.shift() : undefined));
  }

  async #namespacesBelow(): Promise<Namespace[]> {
    const here = this.#namespace;
    const all = await this.#space.namespaces();
    return all.filter((namespace) => namespace.length > here.length && isWithin(namespace, here));
  }
}

function copyOf(record: StoredRecord | undefined): MemoryRecord | undefined {
  return record && toRecord(record);
}

function withVector(put: StoredRecord, vector: Float32Array | undefined): RecordChange {
  return vector === undefined ? { put } : { put, vector };
}
