import {
  checkIdentity,
  checkNamespace,
  contentId,
  type JsonObject,
  type MemoryEntry,
  MemoryError,
  type MemoryStore,
  type Namespace,
  parseFilter,
  prepareRecord,
  type SearchOptions,
  type StoreIdentity,
  searchLimit,
  throwIfAborted,
} from '@keepsake/core';
import { OWN, scopeOf, toAttributes, toMetadata } from './attributes.ts';
import type { Attributes, SearchResult, VectorStoresClient } from './openai-client.ts';
import { idFilter, scopeFilter } from './scope-filter.ts';
import { MAX_RESULTS, VectorFiles } from './vector-files.ts';

/** Which vector store to work with, and on whose memories. */
export interface OpenAIVectorStoreOptions extends Partial<StoreIdentity> {
  /** An `OpenAI` client. It is yours, and nothing here closes it. */
  readonly client: VectorStoresClient;
  /** A vector store that is there, such as `vs_68a…`. Many namespaces can share it. */
  readonly vectorStoreId: string;
  readonly name: string;
  /** Whose memories these are. The root is refused: it would be everybody's. */
  readonly namespace: Namespace;
  /** How long {@link OpenAIVectorStore.add} waits until what it added is found. By default 60,000. */
  readonly indexDeadlineMs?: number;
}

/** Something remembered in a vector store. */
export type VectorMemory = MemoryEntry & { readonly id: string; metadata: JsonObject; readonly createdAt: string };

/**
 * A memory store in an OpenAI vector store: one file a memory, found by meaning and by words.
 *
 * The namespace is an attribute of every file and a condition of every search, which no filter lifts. Metadata are
 * attributes too: up to 12 fields of texts up to 512 characters, numbers and booleans.
 *
 * Consistency is that of the service: `add` waits until the memory is indexed, so that the next search finds it; what was
 * deleted may be found for a short while.
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
  /** Files that were uploaded and not seen indexed yet, by the ids of their memories. */
  readonly #pending = new Map<string, string>();

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used, and for a namespace without a segment. */
  constructor(options: OpenAIVectorStoreOptions) {
    const { client, vectorStoreId, name, indexDeadlineMs = 60_000 } = options ?? {};
    check(
      typeof client?.vectorStores?.search === 'function',
      'client is to be an OpenAI client that has vector stores.',
    );
    check(
      typeof vectorStoreId === 'string' && /^[\w-]{1,128}$/.test(vectorStoreId),
      "vectorStoreId is to be an id that the API made, such as 'vs_68a…'.",
    );
    check(name !== undefined, 'name is to be a text.');
    check(Number.isFinite(indexDeadlineMs) && indexDeadlineMs >= 0, 'indexDeadlineMs is to be a number of 0 or more.');
    this.name = name;
    Object.assign(this, checkIdentity(options));
    this.namespace = checkNamespace(options.namespace);
    this.#scope = scopeOf(this.namespace);
    this.#options = { ...options, indexDeadlineMs };
    this.#files = new VectorFiles(client, vectorStoreId);
  }

  /**
   * The memories that fit, best first; at most 50, which is what the API gives.
   *
   * @throws MemoryError `UNSUPPORTED` for filters that the API has not: `exists`, `null`, and an order of texts.
   */
  async search(query: string, options?: SearchOptions): Promise<VectorMemory[]> {
    const { minScore = Number.NEGATIVE_INFINITY, signal } = options ?? {};
    const limit = searchLimit(this, options);
    const filter = scopeFilter(this.#scope, parseFilter(options?.filter));
    throwIfAborted(signal);
    check(typeof query === 'string', 'query is to be a text.');
    if (query.trim() === '' || filter === undefined) return [];
    const ask = (count: number) => this.#files.search(query.toWellFormed(), filter, count, signal);
    let results = await ask(limit);
    let best = this.#bestOfEach(results);
    // Several parts of one long memory take the place of other memories.
    if (best.length < Math.min(limit, results.length) && limit < MAX_RESULTS) {
      results = await ask(MAX_RESULTS);
      best = this.#bestOfEach(results);
    }
    const found = best.filter(({ score }) => score >= minScore).slice(0, limit);
    return Promise.all(found.map((result) => this.#toEntry(result, signal)));
  }

  /**
   * Remembers a text, once however often it is added: its id derives from it. Other metadata replace those that were
   * there. Waits until the memory is found by searches.
   *
   * @throws MemoryError `TIMEOUT` or `ABORTED` when it was stored and is not indexed yet: adding it again waits on.
   */
  async add(
    content: string,
    metadata?: JsonObject,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<VectorMemory> {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store was opened for reading.');
    const record = prepareRecord(metadata === undefined ? { content } : { content, metadata });
    check(record.content.isWellFormed(), 'content holds a lone surrogate, which no file can.');
    const attributes = toAttributes(record.metadata);
    const id = await contentId(record.content);
    // One after the other: the second is to find what the first has written.
    const before = this.#adding.get(id) ?? Promise.resolve();
    const adding = before.catch(() => undefined).then(() => this.#add(id, record.content, attributes, options.signal));
    this.#adding.set(id, adding);
    try {
      return await adding;
    } finally {
      if (this.#adding.get(id) === adding) this.#adding.delete(id);
    }
  }

  /** Removes a memory, and says whether it was there. One that is not indexed yet is not found. */
  async delete(id: string): Promise<boolean> {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store was opened for reading.');
    check(typeof id === 'string' && id !== '', 'id is to be the id of a memory.');
    let deleted = false;
    for (const { file_id } of await this.#find(id, 'memory')) deleted = (await this.#files.delete(file_id)) || deleted;
    return deleted;
  }

  /**
   * Removes all memories of this namespace, also those that are not indexed yet, and returns how many there were. It
   * looks at every file of the vector store; what is added meanwhile may stay. Safe to call again where it failed.
   */
  async clear(): Promise<number> {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store was opened for reading.');
    let count = 0;
    for (const { id, attributes } of await this.#files.list()) {
      if (attributes?.[OWN.namespace] !== this.#scope) continue;
      if (await this.#files.delete(id)) count++;
    }
    this.#pending.clear();
    return count;
  }

  /** The store at a place below this one. It keeps this store's identity but for what is given. */
  within(segments: Namespace, identity?: Partial<StoreIdentity>): OpenAIVectorStore {
    const namespace = [...this.namespace, ...checkNamespace(segments)];
    const writable = this.writable && (identity?.writable ?? true);
    return new OpenAIVectorStore({ ...this.#options, ...identity, writable, namespace });
  }

  async #add(id: string, content: string, given: Attributes, signal?: AbortSignal): Promise<VectorMemory> {
    throwIfAborted(signal);
    const [known, ...doubles] = await this.#find(id, content.slice(0, QUERY_CHARACTERS), signal);
    if (known === undefined) return this.#create(id, content, given, signal);
    // Made by two who added the same at once: the oldest stays.
    for (const { file_id } of doubles) await this.#files.delete(file_id);
    const own = Object.values(OWN).map((name) => [name, known.attributes?.[name] as string | number]);
    const attributes: Attributes = { ...given, ...Object.fromEntries(own) };
    if (!sameAttributes(attributes, known.attributes ?? {}))
      await this.#files.update(known.file_id, attributes, signal);
    return entryOf(content, attributes);
  }

  async #create(id: string, content: string, given: Attributes, signal?: AbortSignal): Promise<VectorMemory> {
    const attributes: Attributes = {
      ...given,
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

  /** The files of a memory, the oldest first; more than one where two processes added it at once. */
  async #find(id: string, query: string, signal?: AbortSignal): Promise<SearchResult[]> {
    const results = await this.#files.search(query, idFilter(this.#scope, id), MAX_RESULTS, signal);
    const files = new Map(results.map((result) => [result.file_id, result]));
    return [...files.values()].filter((result) => this.#isOurs(result)).sort(byAge);
  }

  /** The best part of each memory, best first, ties by newest. */
  #bestOfEach(results: readonly SearchResult[]): SearchResult[] {
    const seen = new Set<unknown>();
    return results
      .filter((result) => this.#isOurs(result))
      .sort((a, b) => b.score - a.score || byAge(b, a))
      .filter(({ attributes }) => !seen.has(attributes?.[OWN.id]) && seen.add(attributes?.[OWN.id]));
  }

  /** The filter saw to it. What is not ours is never shown, whatever the service answers. */
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

/** Of a long memory, so much serves to look for it: it is found by its id. */
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

function check(isSo: boolean, message: string): void {
  if (!isSo) throw new MemoryError('INVALID_ARGUMENT', message);
}
