import {
  cloneJson,
  type FilterRule,
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  matchesFilter,
  type Page,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  readCursor,
  uuidv7,
  writeCursor,
} from '@keepsake/core';
import { fuse } from './fuse.ts';
import { LexicalIndex } from './lexical-index.ts';
import { VectorIndex } from './vector-index.ts';

/** A record as a table holds it. */
export interface StoredRecord extends MemoryRecord {
  /** Its place in the order of creation; rises. */
  readonly created: number;
  /** `false` keeps it out of search. */
  readonly index: boolean;
}

/** What to look for in a table. */
export interface TableSearch {
  readonly query: string;
  /** The query as a vector, where the table has vectors. */
  readonly vector?: Float32Array;
  readonly limit: number;
  readonly rules: readonly FilterRule[];
  readonly minScore?: number;
}

/**
 * The records of one namespace in memory, with the indexes over them. Nothing in here waits, so every method is atomic.
 *
 * Records that have expired are there until {@link RecordTable.expire} is called.
 */
export class RecordTable {
  readonly #records = new Map<string, StoredRecord>();
  readonly #expiring = new Map<string, number>();
  readonly #lexical = new LexicalIndex();
  readonly #vectors: VectorIndex | undefined;
  /** Ids by document number of the lexical index, and back. */
  readonly #ids: string[] = [];
  readonly #documents = new Map<string, number>();
  #nextExpiry = Infinity;
  #created = 0;
  /** Whether the map is in the order of creation. */
  #inOrder = true;

  /** @param dimensions - The length of the vectors; missing where the table has none. */
  constructor(dimensions?: number) {
    this.#vectors = dimensions === undefined ? undefined : new VectorIndex({ dimensions });
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): StoredRecord | undefined {
    return this.#records.get(id);
  }

  /** The highest place in the order of creation that a record ever had. */
  get created(): number {
    return this.#created;
  }

  /** Gives no new record a place up to `created` in the order of creation. */
  createAfter(created: number): void {
    this.#created = Math.max(this.#created, created);
  }

  /** All records, in the order of their creation. */
  records(): Iterable<StoredRecord> {
    if (!this.#inOrder) {
      const ordered = [...this.#records.values()].sort((a, b) => a.created - b.created);
      this.#records.clear();
      for (const record of ordered) this.#records.set(record.id, record);
      this.#inOrder = true;
    }
    return this.#records.values();
  }

  /** What the records will be once `inputs` are put one after the other. Changes nothing. */
  revise(inputs: readonly PreparedRecord[], now: Date): StoredRecord[] {
    const revised = new Map<string, StoredRecord>();
    let created = this.#created;
    return inputs.map((input) => {
      const id = input.id ?? uuidv7();
      const before = revised.get(id) ?? this.#records.get(id);
      const after = revise(before, { ...input, id }, now, before?.created ?? ++created);
      revised.set(id, after);
      return after;
    });
  }

  /** Creates or replaces a record. A table with vectors searches a record without one by its words alone. */
  put(record: StoredRecord, vector?: Float32Array): void {
    this.#unindex(record.id);
    // It went without being deleted here: expired, or in a line that is damaged.
    if (this.#records.get(record.id)?.created !== record.created) this.#records.delete(record.id);
    // An id that is known keeps its place in the map, so that the map stays in the order of creation.
    if (!this.#records.has(record.id) && record.created <= this.#created) this.#inOrder = false;
    this.#records.set(record.id, record);
    this.createAfter(record.created);
    if (record.expiresAt !== undefined) this.#expireAt(record.id, Date.parse(record.expiresAt));
    if (!record.index) return;
    const document = this.#lexical.add(record.content);
    this.#ids[document] = record.id;
    this.#documents.set(record.id, document);
    if (vector !== undefined) this.#vectors?.set(record.id, vector);
  }

  /** Removes a record, and says whether it was there. */
  delete(id: string): boolean {
    this.#unindex(id);
    return this.#records.delete(id);
  }

  clear(): void {
    for (const id of [...this.#records.keys()]) this.delete(id);
  }

  /** Removes the records whose time has come, and gives their ids. */
  expire(now: number): string[] {
    if (now < this.#nextExpiry) return [];
    const expired = [...this.#expiring].flatMap(([id, time]) => (time <= now ? [id] : []));
    for (const id of expired) this.delete(id);
    this.#nextExpiry = Infinity;
    for (const time of this.#expiring.values()) this.#nextExpiry = Math.min(this.#nextExpiry, time);
    return expired;
  }

  /** A page of the records in the order of their creation, as copies. */
  list(options: ListOptions | undefined): Page<MemoryRecord> {
    const limit = pageLimit(options);
    const rules = parseFilter(options?.filter);
    const { order = 'newest' } = options ?? {};
    if (order !== 'newest' && order !== 'oldest') {
      throw new MemoryError('INVALID_ARGUMENT', "order is to be 'newest' or 'oldest'.");
    }
    const sign = order === 'oldest' ? 1 : -1;
    const kind = `records ${order}`;
    const [after] = (readCursor(options?.cursor, kind, ['number']) as [number] | undefined) ?? [sign * -Infinity];
    const matching = [...this.records()].filter(
      (record) => sign * record.created > sign * after && matchesFilter(rules, record),
    );
    if (sign === -1) matching.reverse();
    const page = matching.slice(0, limit);
    const last = page.at(-1);
    const items = page.map(toRecord);
    if (matching.length <= limit || last === undefined) return { items };
    return { items, cursor: writeCursor(kind, [last.created]) };
  }

  /**
   * The records that fit, best first, as copies; ties by newest. Scores are those of BM25, or of reciprocal rank fusion
   * where the query has a vector.
   */
  search(search: TableSearch): MemoryEntry[] {
    const ranked = search.vector === undefined ? this.#searchWords(search, search.limit) : this.#searchBoth(search);
    const minScore = search.minScore ?? -Infinity;
    return ranked.filter(({ score }) => score >= minScore).map(({ id, score }) => this.#toEntry(id, score));
  }

  #searchBoth(search: TableSearch): { id: string; score: number }[] {
    // What stands lower in both lists has no chance: 2 / (60 + rank) is less than 1 / (60 + limit) then.
    const depth = 2 * search.limit + 100;
    const words = this.#searchWords(search, depth).map(({ id }) => id);
    const near = this.#vectors?.search(search.vector as Float32Array, {
      limit: depth,
      filter: (id) => this.#passes(id, search.rules),
    });
    const meaning = (near ?? []).map(({ key }) => key);
    return fuse([words, meaning])
      .sort((a, b) => b.score - a.score || this.#compareAge(b.key, a.key))
      .slice(0, search.limit)
      .map(({ key, score }) => ({ id: key, score }));
  }

  #searchWords({ query, rules }: TableSearch, limit: number): { id: string; score: number }[] {
    const filter = (document: number) => this.#passes(this.#ids[document] as string, rules);
    const hits = this.#lexical.search(query, rules.length === 0 ? { limit } : { limit, filter });
    return hits.map(({ document, score }) => ({ id: this.#ids[document] as string, score }));
  }

  /** Below 0 where the first of two records is the older one. */
  #compareAge(a: string, b: string): number {
    const [first, second] = [this.#records.get(a) as StoredRecord, this.#records.get(b) as StoredRecord];
    return Date.parse(first.updatedAt) - Date.parse(second.updatedAt) || first.created - second.created;
  }

  #passes(id: string, rules: readonly FilterRule[]): boolean {
    const record = this.#records.get(id);
    return record !== undefined && matchesFilter(rules, record);
  }

  #toEntry(id: string, score: number): MemoryEntry {
    const { content, metadata, createdAt, updatedAt, turn } = toRecord(this.#records.get(id) as StoredRecord);
    return { id, content, metadata, score, createdAt, updatedAt, ...(turn === undefined ? {} : { turn }) };
  }

  #unindex(id: string): void {
    const document = this.#documents.get(id);
    if (document !== undefined) this.#lexical.remove(document);
    this.#documents.delete(id);
    this.#vectors?.remove(id);
    this.#expiring.delete(id);
  }

  #expireAt(id: string, time: number): void {
    this.#expiring.set(id, time);
    this.#nextExpiry = Math.min(this.#nextExpiry, time);
  }
}

/** A record as callers get it: a copy that shares nothing with the table. */
export function toRecord({ created, index, ...record }: StoredRecord): MemoryRecord {
  const turn = record.turn === undefined ? {} : { turn: { ...record.turn } };
  return { ...record, ...turn, metadata: cloneJson(record.metadata, 'metadata') };
}

function revise(
  before: StoredRecord | undefined,
  input: PreparedRecord & { readonly id: string },
  now: Date,
  created: number,
): StoredRecord {
  const { id, content, metadata, ttlMs, index, turn } = input;
  return {
    id,
    content,
    metadata,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? input.createdAt ?? now.toISOString(),
    updatedAt: now.toISOString(),
    ...(ttlMs === undefined ? {} : { expiresAt: new Date(now.getTime() + ttlMs).toISOString() }),
    ...(turn === undefined ? {} : { turn }),
    created,
    index,
  };
}
