import {
  checkIdentity,
  type JsonObject,
  type MemoryEntry,
  MemoryError,
  type MemoryStore,
  parseFilter,
  prepareRecord,
  type SearchOptions,
  type StoreCapabilities,
  searchLimit,
  throwIfAborted,
} from '@keepsake/core';
import { toAttributes } from './attributes.ts';
import { Documents } from './documents.ts';
import { KnowledgeBase } from './knowledge-base.ts';
import { type BedrockKnowledgeBaseStoreOptions, readOptions, type Settings } from './options.ts';
import { toEntry } from './results.ts';
import { allOf, type RetrievalFilter } from './retrieval-filter.ts';
import { idPrefix } from './scope.ts';
import { translateFilter } from './translate-filter.ts';
import { type WaitOptions, waitUntilIndexed } from './wait-until-indexed.ts';

/** What `add` gives back. */
export interface AddedDocument {
  /** Of a `CUSTOM` source the id of the document, of an `S3` source the URI of its object. */
  readonly documentId: string;
  /** How far the service has come, such as `STARTING`. Searches find it once it is `INDEXED`. */
  readonly status: string;
}

/** What the service says of a document. */
export interface DocumentStatus {
  readonly documentId: string;
  /** In the words of the service: `PENDING`, `STARTING`, `IN_PROGRESS`, `INDEXED`, `FAILED`, `IGNORED`, `DELETING` … */
  readonly status: string;
  readonly statusReason?: string;
  /** ISO 8601, UTC. */
  readonly updatedAt?: string;
}

/** Queries are cut here: the service takes no longer ones. */
const MAX_QUERY = 1_000;
const MAX_RESULTS = 100;

/**
 * Memory in an Amazon Bedrock knowledge base. Many stores share one connection, each for a scope of its own: a store
 * finds, and deletes, what stores of that same scope have added, and nothing else.
 *
 * What is added is found after a while: see {@link BedrockKnowledgeBaseStore.waitUntilIndexed}. The service takes texts
 * apart, so that an entry may be a part of what was added.
 */
export class BedrockKnowledgeBaseStore implements MemoryStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly extraction?: boolean | object;
  readonly writable: boolean;
  /** What the documents of this store have in the attribute `scopeMetadataKey`; `undefined` where it is of all scopes. */
  readonly scope: string | undefined;
  readonly scopeMetadataKey: string;
  readonly capabilities: StoreCapabilities = CAPABILITIES;
  readonly #settings: Settings;
  readonly #base: KnowledgeBase;
  readonly #documents: Documents;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Sends nothing. */
  constructor(options: BedrockKnowledgeBaseStoreOptions) {
    const settings = readOptions(options);
    const { connection, scope } = settings;
    Object.assign(this, checkIdentity({ ...options, name: options.name ?? '' }));
    this.name = options.name;
    this.writable = options.writable ?? false;
    this.scope = scope;
    this.scopeMetadataKey = settings.scopeKey;
    this.#settings = settings;
    this.#base = KnowledgeBase.of(connection);
    this.#documents = new Documents(this.#base, idPrefix(scope), scope === undefined);
  }

  /** Asks for the type of the knowledge base, where the connection does not say it: so that what is wrong shows early. */
  async initialize(): Promise<void> {
    await this.#base.type();
  }

  /**
   * The entries that fit a text, as the knowledge base ranks them. Their metadata is that of the document, and
   * `_relevanceScore` and `_sourceLocation`. Of a query over 1,000 characters, those count.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for a limit over 100, `UNSUPPORTED` for filters that the service has no words
   *   for, `BACKEND` with `retryable: true` when it throttles.
   */
  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    if (typeof query !== 'string') throw new MemoryError('INVALID_ARGUMENT', 'The query is to be a text.');
    const limit = searchLimit(this, options);
    if (limit > MAX_RESULTS) throw new MemoryError('INVALID_ARGUMENT', 'Bedrock gives at most 100 results a search.');
    const { minScore, signal } = options ?? {};
    if (minScore !== undefined && this.#settings.maxScore !== undefined) {
      throw new MemoryError(
        'UNSUPPORTED',
        'The scores of this store are distances, which have a maxScore: see its options.',
      );
    }
    const asked = translateFilter(parseFilter(options?.filter));
    throwIfAborted(signal);
    if (asked === undefined || query.trim() === '') return [];
    const results = await this.#retrieve(query, limit, this.#filter(asked), signal);
    const floor = Math.max(minScore ?? -Infinity, this.#settings.minScore ?? -Infinity);
    const ceiling = this.#settings.maxScore ?? Infinity;
    // Those that the service did not score are kept.
    const fitting = results.filter(({ score }) => score === undefined || (score >= floor && score <= ceiling));
    return fitting.flatMap((result) => toEntry(result, this.#settings.maxScore === undefined) ?? []);
  }

  /**
   * Hands one text over to be indexed, which takes the service a while. The id derives from scope and text: the same
   * again is the same document, with the metadata that was given last.
   *
   * @param metadata - Texts, numbers, booleans and lists of texts, at most 50.
   * @throws MemoryError `READ_ONLY`, `INVALID_ARGUMENT`, `TOO_LARGE`; `BACKEND` where the service refused or failed it,
   *   with its reason; `OUTCOME_UNKNOWN` where its answer was lost: add it again.
   */
  async add(content: string, metadata?: JsonObject): Promise<AddedDocument> {
    this.#checkWritable();
    const record = prepareRecord({ content, ...(metadata === undefined ? {} : { metadata }) }, 'memory');
    if (!record.content.isWellFormed()) {
      throw new MemoryError('INVALID_ARGUMENT', 'memory.content holds a lone surrogate, which Bedrock does not take.');
    }
    const { accessControlList } = this.#settings;
    const attributes = toAttributes(record.metadata, this.scopeMetadataKey, this.scope);
    return this.#documents.add({ content: record.content, attributes, accessControlList });
  }

  /**
   * Deletes a document, and says whether it was there. Searches may find it for a moment yet.
   *
   * @param id - The `id` of an entry, or the `documentId` that `add` gave. One of another scope is not there.
   */
  async delete(id: string): Promise<boolean> {
    this.#checkWritable();
    return this.#documents.delete(id);
  }

  /** What became of a document; `undefined` where there is none of that id in this scope. */
  async status(id: string, options?: { readonly signal?: AbortSignal }): Promise<DocumentStatus | undefined> {
    throwIfAborted(options?.signal);
    const detail = await this.#documents.status(id, options?.signal);
    if (detail?.status === undefined) return undefined;
    const { status, statusReason, updatedAt } = detail;
    return {
      documentId: id,
      status,
      ...(statusReason === undefined ? {} : { statusReason }),
      ...(updatedAt === undefined ? {} : { updatedAt: updatedAt.toISOString() }),
    };
  }

  /**
   * Waits until searches find a document.
   *
   * @throws MemoryError `BACKEND` with the reason of the service where it failed, `TIMEOUT`, `ABORTED`.
   */
  async waitUntilIndexed(id: string, options?: WaitOptions): Promise<void> {
    await waitUntilIndexed((signal) => this.#documents.status(id, signal), options);
  }

  /** @throws MemoryError `UNSUPPORTED`, always: a knowledge base gives texts by search alone. */
  async get(_id: string): Promise<never> {
    throw new MemoryError(
      'UNSUPPORTED',
      'A knowledge base gives no text by its id. Search for it, or ask for its status.',
    );
  }

  /** @throws MemoryError `UNSUPPORTED`, always: a knowledge base can't list the documents of a scope. */
  async list(): Promise<never> {
    throw new MemoryError('UNSUPPORTED', 'A knowledge base does not list the documents of a scope. Search for them.');
  }

  /** What every search asks for: the scope, and what narrows it. */
  #filter(asked: readonly RetrievalFilter[]): RetrievalFilter | undefined {
    const { filter } = this.#settings;
    const own = this.scope === undefined ? [] : [{ equals: { key: this.scopeMetadataKey, value: this.scope } }];
    return allOf([...own, ...(filter === undefined ? [] : [filter]), ...asked]);
  }

  async #retrieve(text: string, limit: number, filter: RetrievalFilter | undefined, signal: AbortSignal | undefined) {
    const query = text.slice(0, MAX_QUERY).toWellFormed();
    const { userContext } = this.#settings;
    const found = [];
    let nextToken: string | undefined;
    // A page may be empty and yet not the last; that there are no more pages than results asked for ends it in any case.
    for (let page = 0; page < limit && found.length < limit; page++) {
      const request = { query, numberOfResults: limit, filter, userContext, nextToken };
      const answer = await this.#base.retrieve(request, signal);
      throwIfAborted(signal);
      found.push(...answer.results);
      nextToken = answer.nextToken;
      if (nextToken === undefined) break;
    }
    for (const { metadata } of found) this.#checkScope(metadata?.[this.scopeMetadataKey]);
    return found.slice(0, limit);
  }

  /** Not every kind of base may heed a filter: what is of another scope is nothing to go on with. */
  #checkScope(found: unknown): void {
    if (this.scope === undefined || found === undefined || found === this.scope) return;
    throw new MemoryError(
      'BACKEND',
      'The knowledge base gave a document of another scope: it does not filter. Use one that does.',
    );
  }

  #checkWritable(): void {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store is for reading. Make one with writable: true.');
  }
}

const CAPABILITIES: StoreCapabilities = /* @__PURE__ */ Object.freeze({
  search: 'semantic',
  consistency: 'eventual',
  durable: true,
  shared: true,
  atomicBatch: false,
  ttl: false,
  enumerate: false,
  filter: true,
});
