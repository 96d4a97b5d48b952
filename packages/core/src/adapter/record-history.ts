import { isMemoryError, MemoryError } from '../common/errors.ts';
import type { FilterRule } from '../store/filter.ts';
import type { MemoryEntry } from '../store/memory-store.ts';
import type { Page } from '../store/page.ts';
import type { CompactOptions, MemoryRecord, NamespaceInfo } from '../store/record-store.ts';
import { expectVersion, throwIfAborted } from '../store/store-options.ts';
import { expectSame } from './kept-record.ts';
import { PutPlan } from './put-plan.ts';
import type {
  IdentifiedRecord,
  NamespaceList,
  NamespaceRecords,
  PutOptions,
  RecordList,
  RecordSearch,
  RemovalOptions,
} from './record-backend.ts';
import { validityOf, withValidity } from './stored-source.ts';

/** How often a supersession is tried again because another writer replaced a record in the meantime. */
const MAX_ATTEMPTS = 10;

/** Closed records have this field. */
const CURRENT: FilterRule = { part: 'source', field: 'validUntil', operator: 'exists', not: true };

/**
 * Keeps the histories of records for a backend that puts batches atomically and filters. A closed record is one out of search
 * with its validity in its source.
 */
export class RecordHistory implements NamespaceRecords {
  readonly #records: NamespaceRecords;
  readonly searchTree?: (search: RecordSearch) => Promise<readonly MemoryEntry[]>;

  constructor(records: NamespaceRecords) {
    this.#records = records;
    if (records.searchTree === undefined) return;
    this.searchTree = async (search) => ((await records.searchTree?.(search)) ?? []).map(withValidSource);
  }

  async get(id: string, asOf?: string): Promise<MemoryRecord | undefined> {
    const record = await this.#records.get(id);
    if (record === undefined || asOf === undefined) return record && withValidity(record);
    return (await this.#chainOf(record)).find((version) => heldAt(version, asOf));
  }

  async history(id: string): Promise<readonly MemoryRecord[]> {
    const record = await this.#records.get(id);
    return record === undefined ? [] : this.#chainOf(record);
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]> {
    if (!records.some(hasValidity)) return (await this.#records.put(records, options)).map(withValidity);
    for (let attempt = 1; ; attempt++) {
      const plan = await PutPlan.of(records, (id) => this.#records.get(id), new Date());
      try {
        return plan.resultsOf(await this.#records.put(plan.puts, options)).map(withValidity);
      } catch (error) {
        const mayPass = plan.successors.length > 0 && attempt < MAX_ATTEMPTS && isMemoryError(error, 'CONFLICT');
        if (!mayPass) throw error;
        // Planning again shows all other conflicts than an id that is taken.
        for (const record of plan.successors) {
          const there = await this.#records.get(record.id);
          if (there !== undefined && validityOf(there).supersedes !== record.supersedes) throw error;
        }
      }
    }
  }

  async delete(id: string, { ifVersion, alone = false }: RemovalOptions): Promise<boolean> {
    let hasOthers = false;
    const check = (record: MemoryRecord) => {
      const { supersedes, supersededBy } = validityOf(record);
      hasOthers = !alone && (supersedes ?? supersededBy) !== undefined;
      if (hasOthers) throw new MemoryError('CONFLICT', 'This record has other versions.');
    };
    try {
      return await this.#records.delete(id, { ifVersion, check });
    } catch (error) {
      if (!hasOthers) throw error;
      return this.#deleteAll(id, ifVersion);
    }
  }

  clear(descendants: boolean): Promise<number> {
    return this.#records.clear(descendants);
  }

  async list({ asOf, history = false, ...list }: RecordList): Promise<Page<MemoryRecord>> {
    if (asOf !== undefined) return this.#listAsOf(list, asOf);
    const rules = history ? list.rules : [...list.rules, CURRENT];
    const page = await this.#records.list({ ...list, rules });
    return { ...page, items: page.items.map(withValidity) };
  }

  namespaces(list: NamespaceList): Promise<readonly NamespaceInfo[]> {
    return this.#records.namespaces(list);
  }

  async search(search: RecordSearch): Promise<readonly MemoryEntry[]> {
    return (await this.#records.search(search)).map(withValidSource);
  }

  async compact(options: CompactOptions): Promise<void> {
    await this.#records.compact?.(options);
  }

  async close(): Promise<void> {
    await this.#records.close?.();
  }

  /** Reads on until the page is full, because no rule says "`validFrom`, or else `createdAt`". */
  async #listAsOf(list: RecordList, asOf: string): Promise<Page<MemoryRecord>> {
    const bound = { part: 'source', value: asOf, not: true } as const;
    const rules: FilterRule[] = [
      ...list.rules,
      { ...bound, field: 'validFrom', operator: 'gt' },
      { ...bound, field: 'validUntil', operator: 'lte' },
    ];
    const items: MemoryRecord[] = [];
    for (let { cursor } = list; ; ) {
      const page = await this.#records.list({ ...list, rules, cursor, limit: list.limit - items.length });
      throwIfAborted(list.signal);
      items.push(...page.items.map(withValidity).filter((record) => heldAt(record, asOf)));
      if (page.cursor === undefined) return { items };
      if (items.length === list.limit) return { items, cursor: page.cursor };
      cursor = page.cursor;
    }
  }

  /** All versions of a record, oldest first. */
  async #chainOf(record: MemoryRecord): Promise<MemoryRecord[]> {
    const [older, newer] = [await this.#walk(record, 'supersedes'), await this.#walk(record, 'supersededBy')];
    return [...older.reverse(), withValidity(record), ...newer];
  }

  /** The versions in one direction, the nearest first. */
  async #walk(from: MemoryRecord, direction: 'supersedes' | 'supersededBy'): Promise<MemoryRecord[]> {
    const back = direction === 'supersedes' ? 'supersededBy' : 'supersedes';
    const versions: MemoryRecord[] = [];
    for (let at = from; ; ) {
      const id = validityOf(at)[direction];
      const next = id === undefined ? undefined : await this.#records.get(id);
      // An id that was deleted or has expired may be that of another record now.
      if (next === undefined || validityOf(next)[back] !== at.id) return versions;
      versions.push(withValidity(next));
      at = next;
    }
  }

  /** Removes all versions, from both ends, and the given one last: so the next try finds what an interrupted one left. */
  async #deleteAll(id: string, ifVersion: number | undefined): Promise<boolean> {
    for (;;) {
      const versions = await this.history(id);
      const at = versions.findIndex((record) => record.id === id);
      const own = versions[at];
      if (own === undefined) return false;
      expectVersion(ifVersion, own.version);
      const others = [...versions.slice(0, at), ...versions.slice(at + 1).reverse()];
      try {
        for (const other of others) await this.#deleteRead(other);
        return await this.#deleteRead(own);
      } catch (error) {
        // Somebody changed one of the records in the meantime.
        if (!isMemoryError(error, 'CONFLICT')) throw error;
      }
    }
  }

  #deleteRead(read: MemoryRecord): Promise<boolean> {
    return this.#records.delete(read.id, { check: (record) => expectSame(read, withValidity(record)) });
  }
}

function hasValidity({ supersedes, validFrom, validUntil }: IdentifiedRecord): boolean {
  return (supersedes ?? validFrom ?? validUntil) !== undefined;
}

/** Whether a record held at a time. All times have the same format, so that text compares as times. */
function heldAt({ createdAt, validFrom = createdAt, validUntil }: MemoryRecord, asOf: string): boolean {
  return validFrom <= asOf && (validUntil === undefined || asOf < validUntil);
}

/** An entry without what only records tell. */
function withValidSource(entry: MemoryEntry): MemoryEntry {
  const { supersedes, supersededBy, validFrom, validUntil, ...plain } = withValidity(entry);
  return plain;
}
