import type { MemoryEntry, MemoryRecord, Namespace, NamespaceInfo, Page, StoreCapabilities } from '@keepsake/core';
import {
  AbstractRecordStore,
  CursorSeal,
  checkRemoval,
  type IdentifiedRecord,
  isWithin,
  keptRecord,
  matchesFilter,
  type NamespaceList,
  type NamespaceRecords,
  nextNamespaces,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RecordStoreOptions,
  type RemovalOptions,
  revisedRecord,
} from '@keepsake/core/adapter';
import { toEntry } from './reference.ts';

/** The records of all namespaces, in the order of their creation. */
export type MapTree = Map<string, { readonly namespace: Namespace; readonly records: Map<string, Row> }>;

interface Row {
  readonly record: MemoryRecord;
  readonly sequence: number;
}

/** The smallest backend that `AbstractRecordStore` can be built on. It declares the capabilities that a test asks for. */
export class MapStore extends AbstractRecordStore {
  constructor(options: RecordStoreOptions, tree: MapTree, capabilities: StoreCapabilities) {
    super(options, { capabilities, open: (namespace) => new MapRecords(tree, namespace) });
  }
}

let sequence = 0;
const cursors = new CursorSeal('map');

class MapRecords implements NamespaceRecords {
  readonly #tree: MapTree;
  readonly #namespace: Namespace;

  constructor(tree: MapTree, namespace: Namespace) {
    this.#tree = tree;
    this.#namespace = namespace;
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    return structuredClone(this.#live().get(id)?.record);
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<MemoryRecord[]> {
    const rows = this.#live();
    this.#tree.set(JSON.stringify(this.#namespace), { namespace: this.#namespace, records: rows });
    for (const input of records) keptRecord(input, rows.get(input.id)?.record, options);
    return records.map((input) => {
      const known = rows.get(input.id);
      const record =
        keptRecord({ ...input, ifVersion: undefined }, known?.record, options) ??
        revisedRecord(input, known?.record, new Date());
      rows.set(input.id, { record, sequence: known?.sequence ?? sequence++ });
      return structuredClone(record);
    });
  }

  async delete(id: string, options: RemovalOptions): Promise<boolean> {
    const known = this.#live().get(id);
    if (known !== undefined) checkRemoval(structuredClone(known.record), options);
    return this.#live().delete(id);
  }

  async clear(descendants: boolean): Promise<number> {
    const below = descendants ? this.#below().map((namespace) => new MapRecords(this.#tree, namespace)) : [];
    const all = [this, ...below].map((records) => records.#live());
    const count = all.reduce((sum, { size }) => sum + size, 0);
    for (const rows of all) rows.clear();
    return count;
  }

  async list({ limit, order, idPrefix = '', rules, cursor }: RecordList): Promise<Page<MemoryRecord>> {
    const after = await cursors.read(cursor, order, this.#namespace);
    const direction = order === 'oldest' ? 1 : -1;
    const rest = [...this.#live().values()]
      .filter(({ record }) => record.id.startsWith(idPrefix) && matchesFilter(rules, record))
      .filter((row) => after === undefined || (row.sequence - after) * direction > 0)
      .sort((a, b) => (a.sequence - b.sequence) * direction);
    const page = rest.slice(0, limit);
    const items = page.map(({ record }) => structuredClone(record));
    const last = page.at(-1);
    if (rest.length <= limit || last === undefined) return { items };
    return { items, cursor: await cursors.write(order, this.#namespace, last.sequence) };
  }

  namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    return nextNamespaces(this.#below(), list, (namespace) => new MapRecords(this.#tree, namespace).#live().size);
  }

  async search({ query, limit, rules, minScore }: RecordSearch): Promise<MemoryEntry[]> {
    const wanted = new Set(wordsOf(query));
    return [...this.#live().values()]
      .filter(({ record }) => record.index && matchesFilter(rules, record))
      .map(({ record, sequence }) => ({ record, sequence, score: scoreOf(wordsOf(record.content), wanted) }))
      .filter(({ score }) => score > 0 && score >= minScore)
      .sort((a, b) => b.score - a.score || b.sequence - a.sequence)
      .slice(0, limit)
      .map(({ record, score }) => toEntry(record, score, { copy: structuredClone, words: wordsOf }, query));
  }

  #live(): Map<string, Row> {
    const rows = this.#tree.get(JSON.stringify(this.#namespace))?.records ?? new Map<string, Row>();
    for (const [id, { record }] of rows) {
      if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= Date.now()) rows.delete(id);
    }
    return rows;
  }

  #below(): Namespace[] {
    const here = this.#namespace;
    return [...this.#tree.values()]
      .filter(
        ({ namespace, records }) => records.size > 0 && namespace.length > here.length && isWithin(namespace, here),
      )
      .map(({ namespace }) => namespace);
  }
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The number of matching words, with their density as a tie-break. */
function scoreOf(words: readonly string[], wanted: ReadonlySet<string>): number {
  const hits = words.filter((word) => wanted.has(word));
  return hits.length === 0 ? 0 : new Set(hits).size + hits.length / words.length;
}
