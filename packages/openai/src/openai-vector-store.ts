import {
  type JsonObject,
  type JsonObjectInput,
  type MemoryEntry,
  MemoryError,
  type MemoryStore,
  type Namespace,
  type SearchOptions,
  type StoreIdentity,
} from '@keepsake/core';
import {
  checkIdentity,
  checkNamespace,
  contentId,
  expect,
  expectKnownFields,
  type FieldNames,
  parseFilter,
  prepareRecord,
  SEARCH_OPTIONS,
  STORE_OPTIONS,
  searchLimit,
  throwIfAborted,
} from '@keepsake/core/adapter';
import type { Attributes, SearchResult, VectorStoresClient } from './api/openai-client.ts';
import { OWN, scopeOf, toAttributes, toMetadata } from './stores/attributes.ts';
import { idFilter, scopeFilter } from './stores/scope-filter.ts';
import { MAX_RESULTS, VectorFiles } from './stores/vector-files.ts';

/** Options of {@link OpenAIVectorStore}. */
export interface OpenAIVectorStoreOptions extends Partial<StoreIdentity> {
  /** An `OpenAI` client. */
  readonly client: VectorStoresClient;
  /** The id of an existing vector store, such as `vs_68a…`. Many namespaces can share it. */
  readonly vectorStoreId: string;
  readonly name: string;
  /** The namespace of the memories. The root is refused, because all tenants would share it. */
  readonly namespace: Namespace;
  /**
   * How long {@link OpenAIVectorStore.add} waits until searches find the memory.
   *
   * @default 60_000
   */
  readonly indexDeadlineMs?: number | undefined;
}

const OPTIONS: FieldNames<OpenAIVectorStoreOptions> = {
  ...STORE_OPTIONS,
  client: true,
  vectorStoreId: true,
  indexDeadlineMs: true,
};

/** A memory in a vector store. */
export type VectorMemory = MemoryEntry & { readonly id: string; metadata: JsonObject; readonly createdAt: string };

/**
 * A memory store in an OpenAI vector store: one file per memory, found by hybrid search.
 *
 * The namespace is an attribute of every file and a condition of every search, which no filter can remove. Metadata are
 * attributes too: up to 12 fields with numbers, booleans and strings of up to 512 characters.
 *
 * Consistency is that of the service: `add` waits until the memory is indexed, so that the next search finds it. Searches
 * may find a deleted memory for a short time.
 *
 * @example
 * const store = new OpenAIVectorStore({ client, vectorStoreId: 'vs_68a…', name: 'facts', namespace: ['u', 'alice'] });
 * await store.add('Prefers aisle seats');
 */
export class OpenAIVectorStore implements MemoryStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean = true;
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly #options: OpenAIVectorStoreOptions;
  readonly #scope: string;
  readonly #files: VectorFiles;
  readonly #adding = new Map<string, Promise<unknown>>();
  /** Files that were uploaded but may not be indexed yet, by memory id. */
  readonly #pending = new Map<string, string>();

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options and for the root namespace. */
  constructor(options: OpenAIVectorStoreOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    const { client, vectorStoreId, name, indexDeadlineMs = 60_000 } = checkedOptions;
    expect(
      typeof client?.vectorStores?.search === 'function',
      '`client` must be an OpenAI client with `vectorStores`.',
    );
    expect(
      typeof vectorStoreId === 'string' && /^[\w-]{1,128}$/.test(vectorStoreId),
      "`vectorStoreId` must be an id from the API, such as 'vs_68a…'.",
    );
    expect(name !== undefined, '`name` must be a string.');
    expect(
      Number.isFinite(indexDeadlineMs) && indexDeadlineMs >= 0,
      '`indexDeadlineMs` must be a number of 0 or more.',
    );
    this.name = name;
    Object.assign(this, checkIdentity(checkedOptions));
    this.namespace = checkNamespace(checkedOptions.namespace);
    this.#scope = scopeOf(this.namespace);
    this.#options = { ...checkedOptions, indexDeadlineMs };
    this.#files = new VectorFiles(client, vectorStoreId);
  }

  /**
   * The matching memories, best first; at most 50, the limit of the API.
   *
   * @throws MemoryError `UNSUPPORTED` for filters that the API does not have: `exists`, `ne`, `null`, and ranges of strings.
   */
  async search(query: string, options: SearchOptions = {}): Promise<VectorMemory[]> {
    const checkedOptions = expectKnownFields(options, SEARCH_OPTIONS);
    const { minScore = Number.NEGATIVE_INFINITY, signal } = checkedOptions;
    const limit = searchLimit(this, checkedOptions);
    const filter = scopeFilter(this.#scope, parseFilter(checkedOptions.filter));
    throwIfAborted(signal);
    expect(typeof query === 'string', '`query` must be a string.');
    if (query.trim() === '' || filter === undefined) return [];
    const ask = (count: number) => this.#files.search(query.toWellFormed(), filter, count, signal);
    let results = await ask(limit);
    let best = this.#bestOfEach(results);
    // Several chunks of one long memory displaced other memories.
    if (best.length < Math.min(limit, results.length) && limit < MAX_RESULTS) {
      results = await ask(MAX_RESULTS);
      best = this.#bestOfEach(results);
    }
    const hits = best.filter(({ score }) => score >= minScore).slice(0, limit);
    return Promise.all(hits.map((result) => this.#toEntry(result, signal)));
  }

  /**
   * Adds a memory, or updates its metadata if it exists: the id is derived from the content. Waits until searches find it.
   *
   * @throws MemoryError `TIMEOUT` or `ABORTED` if the memory is stored but not indexed yet: add it again to continue
   *   waiting.
   */
  async add(
    content: string,
    metadata?: JsonObjectInput,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<VectorMemory> {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store is read-only.');
    const { signal } = expectKnownFields(options, { signal: true });
    const record = prepareRecord(metadata === undefined ? { content } : { content, metadata });
    expect(record.content.isWellFormed(), '`content` must not contain a lone surrogate, which files cannot store.');
    const attributes = toAttributes(record.metadata);
    const id = await contentId(record.content);
    // One after the other, because the second must find what the first wrote.
    const before = this.#adding.get(id) ?? Promise.resolve();
    const adding = before.catch(() => undefined).then(() => this.#add(id, record.content, attributes, signal));
    this.#adding.set(id, adding);
    try {
      return await adding;
    } finally {
      if (this.#adding.get(id) === adding) this.#adding.delete(id);
    }
  }

  /** Removes a memory. Returns whether it existed. A memory that is not indexed yet is not found. */
  async delete(id: string): Promise<boolean> {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store is read-only.');
    expect(typeof id === 'string' && id !== '', '`id` must be the id of a memory.');
    let deleted = false;
    for (const { file_id } of await this.#find(id, 'memory')) deleted = (await this.#files.delete(file_id)) || deleted;
    return deleted;
  }

  /**
   * Removes all memories of this namespace, also those that are not indexed yet, and returns their number. Lists every file
   * of the vector store. Memories that are added at the same time may stay. Safe to retry.
   */
  async clear(): Promise<number> {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store is read-only.');
    let count = 0;
    for (const { id, attributes } of await this.#files.list()) {
      if (attributes?.[OWN.namespace] !== this.#scope) continue;
      if (await this.#files.delete(id)) count++;
    }
    this.#pending.clear();
    return count;
  }

  /** The store of a namespace below this one, with the same identity except for the given fields. */
  within(segments: Namespace, identity: Partial<StoreIdentity> = {}): OpenAIVectorStore {
    const { namespace: _, ...fields } = STORE_OPTIONS;
    const checkedIdentity = expectKnownFields(identity, fields);
    const namespace = [...this.namespace, ...checkNamespace(segments)];
    const writable = this.writable && (checkedIdentity.writable ?? true);
    return new OpenAIVectorStore({ ...this.#options, ...checkedIdentity, writable, namespace });
  }

  async #add(id: string, content: string, newAttributes: Attributes, signal?: AbortSignal): Promise<VectorMemory> {
    throwIfAborted(signal);
    const [storedFile, ...doubles] = await this.#find(id, content.slice(0, QUERY_CHARACTERS), signal);
    if (storedFile === undefined) return this.#create(id, content, newAttributes, signal);
    // Created by concurrent adds of the same content: the oldest stays.
    for (const { file_id } of doubles) await this.#files.delete(file_id);
    const own = Object.values(OWN).map((name) => [name, storedFile.attributes?.[name] as string | number]);
    const attributes: Attributes = { ...newAttributes, ...Object.fromEntries(own) };
    if (!sameAttributes(attributes, storedFile.attributes ?? {}))
      await this.#files.update(storedFile.file_id, attributes, signal);
    return entryOf(content, attributes);
  }

  async #create(id: string, content: string, newAttributes: Attributes, signal?: AbortSignal): Promise<VectorMemory> {
    const attributes: Attributes = {
      ...newAttributes,
      [OWN.namespace]: this.#scope,
      [OWN.id]: id,
      [OWN.createdAt]: Date.now(),
      [OWN.length]: content.length,
    };
    let fileId = this.#pending.get(id);
    if (fileId === undefined) fileId = await this.#files.create(`${id}.txt`, content, attributes, signal);
    else await this.#files.update(fileId, attributes, signal);
    this.#pending.set(id, fileId);
    try {
      await this.#files.untilIndexed(fileId, this.#options.indexDeadlineMs as number, signal);
    } catch (error) {
      if (error instanceof MemoryError && error.code === 'BACKEND' && !error.retryable) this.#pending.delete(id);
      throw error;
    }
    this.#pending.delete(id);
    return entryOf(content, attributes);
  }

  /** The files of a memory, oldest first; more than one if two processes added it at the same time. */
  async #find(id: string, query: string, signal?: AbortSignal): Promise<SearchResult[]> {
    const results = await this.#files.search(query, idFilter(this.#scope, id), MAX_RESULTS, signal);
    const files = new Map(results.map((result) => [result.file_id, result]));
    return [...files.values()].filter((result) => this.#isOurs(result)).sort(byAge);
  }

  /** The best chunk of each memory, best first, ties by newest. */
  #bestOfEach(results: readonly SearchResult[]): SearchResult[] {
    const seen = new Set<unknown>();
    return results
      .filter((result) => this.#isOurs(result))
      .sort((a, b) => b.score - a.score || byAge(b, a))
      .filter(({ attributes }) => !seen.has(attributes?.[OWN.id]) && seen.add(attributes?.[OWN.id]));
  }

  /** A second check after the filter: memories of other namespaces are never shown, whatever the service returns. */
  #isOurs({ attributes }: SearchResult): boolean {
    return attributes?.[OWN.namespace] === this.#scope;
  }

  async #toEntry({ file_id, score, attributes, content }: SearchResult, signal?: AbortSignal): Promise<VectorMemory> {
    const part = content.map(({ text }) => text).join('');
    const isWhole = part.length === attributes?.[OWN.length];
    const text = isWhole ? part : await this.#files.readText(file_id, signal);
    return { ...entryOf(text, attributes ?? {}), score };
  }
}

/** The length of the query that looks up a known memory. The beginning is enough, because a filter selects the id. */
const QUERY_CHARACTERS = 256;

function byAge(a: SearchResult, b: SearchResult): number {
  const [first, second] = [a, b].map(({ attributes }) => Number(attributes?.[OWN.createdAt]));
  return (first as number) - (second as number) || (a.file_id < b.file_id ? -1 : 1);
}

function entryOf(content: string, attributes: Readonly<Attributes>): VectorMemory {
  return {
    id: String(attributes[OWN.id]),
    content,
    metadata: toMetadata(attributes),
    createdAt: new Date(Number(attributes[OWN.createdAt])).toISOString(),
  };
}

function sameAttributes(a: Readonly<Attributes>, b: Readonly<Attributes>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
