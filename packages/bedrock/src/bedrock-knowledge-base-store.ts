import {
  type JsonObjectInput,
  type MemoryEntry,
  MemoryError,
  type MemoryStore,
  type SearchOptions,
  type StoreCapabilities,
} from '@keepsake/core';
import {
  expectKnownFields,
  parseFilter,
  prepareRecord,
  SEARCH_OPTIONS,
  searchLimit,
  throwIfAborted,
} from '@keepsake/core/adapter';
import type { RetrievalResult } from './aws/aws-client.ts';
import { allOf, type RetrievalFilter } from './filters/retrieval-filter.ts';
import { idPrefix } from './filters/scope.ts';
import { translateFilter } from './filters/translate-filter.ts';
import { toAttributes } from './knowledge-base/attributes.ts';
import { Documents } from './knowledge-base/documents.ts';
import type { KnowledgeBase } from './knowledge-base/knowledge-base.ts';
import { toEntry } from './knowledge-base/results.ts';
import { type WaitOptions, waitUntilIndexed } from './knowledge-base/wait-until-indexed.ts';
import { type BedrockKnowledgeBaseStoreOptions, readOptions, type Settings } from './options.ts';

/** The result of `add`. */
export interface AddedDocument {
  /** The id of the document in a `CUSTOM` source, or the URI of its object in an `S3` source. */
  readonly documentId: string;
  /** The progress of the ingestion, such as `STARTING`. Searches find the document once it is `INDEXED`. */
  readonly status: string;
}

/** The status of a document, as the service reports it. */
export interface DocumentStatus {
  readonly documentId: string;
  /** As the service reports it: `PENDING`, `STARTING`, `IN_PROGRESS`, `INDEXED`, `FAILED`, `IGNORED`, `DELETING` … */
  readonly status: string;
  readonly statusReason?: string;
  /** ISO 8601, UTC. */
  readonly updatedAt?: string;
}

/** The service's limit. Longer queries are truncated. */
const MAX_QUERY = 1_000;
const MAX_RESULTS = 100;

/**
 * A memory store in an Amazon Bedrock knowledge base. Stores can share a connection. Each has a scope: a store finds and
 * deletes only documents that were added in the same scope.
 *
 * Indexing takes a while: see {@link BedrockKnowledgeBaseStore.waitUntilIndexed}. The service splits texts into chunks, so
 * an entry may be only a part of a document.
 *
 * @example
 * const connection = { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' } as const;
 * const store = new BedrockKnowledgeBaseStore({ name: 'facts', connection, namespace: ['u', 'alice'], writable: true });
 * const { documentId } = await store.add('Prefers aisle seats');
 * await store.waitUntilIndexed(documentId);
 */
export class BedrockKnowledgeBaseStore implements MemoryStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly extraction?: boolean | object;
  readonly writable: boolean;
  /**
   * The value of the attribute `scopeMetadataKey` in this store's documents; `undefined` for a store of all scopes, or of
   * documents without one.
   */
  readonly scope: string | undefined;
  readonly scopeMetadataKey: string;
  readonly capabilities: StoreCapabilities = CAPABILITIES;
  readonly #settings: Settings;
  readonly #base: KnowledgeBase;
  readonly #documents: Documents;
  #hasWarned = false;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: BedrockKnowledgeBaseStoreOptions) {
    const settings = readOptions(options);
    const { identity, writable, base, scope } = settings;
    Object.assign(this, identity);
    this.name = identity.name;
    this.writable = writable;
    this.scope = scope;
    this.scopeMetadataKey = settings.scopeKey;
    this.#settings = settings;
    this.#base = base;
    this.#documents = new Documents(this.#base, idPrefix(scope), settings.unscoped);
  }

  /** Requests the type of the knowledge base, unless the connection has it, so that configuration errors show early. */
  async initialize(): Promise<void> {
    await this.#base.type();
  }

  /**
   * The entries that match a query, as the knowledge base ranks them. Their metadata is that of the document plus
   * `_relevanceScore` and `_sourceLocation`. Only the first 1,000 characters of a query count.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for a limit over 100, `UNSUPPORTED` for filters that the service does not have,
   *   `BACKEND` with `retryable: true` when it throttles.
   */
  async search(query: string, options: SearchOptions = {}): Promise<MemoryEntry[]> {
    if (typeof query !== 'string') throw new MemoryError('INVALID_ARGUMENT', '`query` must be a string.');
    const checkedOptions = expectKnownFields(options, SEARCH_OPTIONS);
    const limit = searchLimit(this, checkedOptions);
    if (limit > MAX_RESULTS)
      throw new MemoryError('INVALID_ARGUMENT', '`maxSearchResults` must be at most 100, the limit of Bedrock.');
    const { minScore, signal } = checkedOptions;
    if (minScore !== undefined && this.#settings.maxScore !== undefined) {
      throw new MemoryError(
        'UNSUPPORTED',
        '`minScore` does not apply, because the scores of this store are distances. Use the `maxScore` option of the store.',
      );
    }
    const asked = translateFilter(parseFilter(checkedOptions.filter));
    throwIfAborted(signal);
    if (asked === undefined || query.trim() === '') return [];
    const results = await this.#retrieve(query, limit, this.#filter(asked), signal);
    const floor = Math.max(minScore ?? -Infinity, this.#settings.minScore ?? -Infinity);
    const ceiling = this.#settings.maxScore ?? Infinity;
    // Results without a score are kept.
    const fitting = results.filter(({ score }) => score === undefined || (score >= floor && score <= ceiling));
    return fitting.flatMap((result) => toEntry(result, this.#settings.maxScore === undefined) ?? []);
  }

  /**
   * Sends a text to the service, which takes a while to index it. The id is derived from scope and text, so adding the same
   * text again updates the metadata of the same document.
   *
   * @param metadata - Strings, numbers, booleans and lists of strings, at most 50 fields including the scope.
   * @throws MemoryError `READ_ONLY`, `INVALID_ARGUMENT`, `TOO_LARGE`; `BACKEND` with the reason if the service refused the
   *   document or failed to index it; `OUTCOME_UNKNOWN` if there was no response: add it again.
   */
  async add(content: string, metadata?: JsonObjectInput): Promise<AddedDocument> {
    this.#checkWritable();
    const record = prepareRecord({ content, ...(metadata === undefined ? {} : { metadata }) }, 'memory');
    if (!record.content.isWellFormed()) {
      throw new MemoryError(
        'INVALID_ARGUMENT',
        'memory.content contains a lone surrogate, which Bedrock does not support.',
      );
    }
    const { accessControlList } = this.#settings;
    const attributes = toAttributes(record.metadata, this.scopeMetadataKey, this.scope);
    return this.#documents.add({ content: record.content, attributes, accessControlList });
  }

  /**
   * Deletes a document. Returns whether it existed. Searches may still find it for a moment.
   *
   * @param id - The `id` of an entry, or the `documentId` that `add` returned. Ids of other scopes don't exist for this
   *   store.
   */
  async delete(id: string): Promise<boolean> {
    this.#checkWritable();
    return this.#documents.delete(id);
  }

  /** The status of a document; `undefined` if this scope has none with that id. */
  async status(
    id: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<DocumentStatus | undefined> {
    const { signal } = expectKnownFields(options, { signal: true });
    throwIfAborted(signal);
    const detail = await this.#documents.status(id, signal);
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
   * @throws MemoryError `BACKEND` with the service's reason if indexing failed, `TIMEOUT`, `ABORTED`.
   */
  async waitUntilIndexed(id: string, options?: WaitOptions): Promise<void> {
    await waitUntilIndexed((signal) => this.#documents.status(id, signal), options);
  }

  /** @throws MemoryError `UNSUPPORTED`, always: a knowledge base returns texts only by search. */
  async get(_id: string): Promise<never> {
    throw new MemoryError('UNSUPPORTED', "A knowledge base can't return a text by its id. Use search() or status().");
  }

  /** @throws MemoryError `UNSUPPORTED`, always: a knowledge base can't list the documents of a scope. */
  async list(): Promise<never> {
    throw new MemoryError('UNSUPPORTED', "A knowledge base can't list the documents of a scope. Use search().");
  }

  /** The filter of every search: the scope, the filter of the store and that of the call. */
  #filter(asked: readonly RetrievalFilter[]): RetrievalFilter | undefined {
    const { filter } = this.#settings;
    const own = this.scope === undefined ? [] : [{ equals: { key: this.scopeMetadataKey, value: this.scope } }];
    return allOf([...own, ...(filter === undefined ? [] : [filter]), ...asked]);
  }

  async #retrieve(text: string, limit: number, filter: RetrievalFilter | undefined, signal: AbortSignal | undefined) {
    const query = text.slice(0, MAX_QUERY).toWellFormed();
    const { userContext } = this.#settings;
    const results: RetrievalResult[] = [];
    let nextToken: string | undefined;
    // A page before the last one may be empty. The limit on pages guarantees that the loop ends.
    for (let page = 0; page < limit && results.length < limit; page++) {
      const request = { query, numberOfResults: limit, filter, userContext, nextToken };
      const answer = await this.#base.retrieve(request, signal);
      throwIfAborted(signal);
      for (const result of answer.results) if (this.#isOwn(result)) results.push(result);
      nextToken = answer.nextToken;
      if (nextToken === undefined) break;
    }
    return results.slice(0, limit);
  }

  /** Some kinds of knowledge base ignore filters. What does not show that it is of this scope must never be returned. */
  #isOwn({ metadata }: RetrievalResult): boolean {
    const scope = metadata?.[this.scopeMetadataKey];
    if (this.#settings.unscoped || scope === this.scope) return true;
    if (this.scope === undefined) return false;
    if (scope === undefined) {
      this.#warnOfMissingScope();
      return false;
    }
    throw new MemoryError(
      'BACKEND',
      'The knowledge base returned a document of another scope, so it does not support filters. Use one that does.',
    );
  }

  #warnOfMissingScope(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    console.warn(
      `Keepsake: the knowledge base of the store "${this.name}" returned documents without the attribute "${this.scopeMetadataKey}". They are left out. Add the attribute to them, or search them with \`unscoped: true\`.`,
    );
  }

  #checkWritable(): void {
    if (!this.writable) throw new MemoryError('READ_ONLY', 'This store is read-only. Create it with `writable: true`.');
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
  history: false,
});
