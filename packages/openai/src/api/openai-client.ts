/*
 * The methods of an `OpenAI` client that this package calls, and the parts of their results that it reads. A client of the
 * published SDK fits.
 */

export interface RequestOptions {
  readonly maxRetries?: number;
  readonly signal?: AbortSignal;
}

/** The part of an `OpenAI` client that {@link OpenAIConversationsSession} uses. */
export interface ConversationsClient {
  readonly maxRetries?: number;
  readonly conversations: {
    create(body: object, options?: RequestOptions): PromiseLike<{ readonly id: string }>;
    delete(conversationId: string, options?: RequestOptions): PromiseLike<unknown>;
    readonly items: {
      create(conversationId: string, body: { items: object[] }, options?: RequestOptions): PromiseLike<ItemsPage>;
      list(conversationId: string, query: ItemsQuery, options?: RequestOptions): PromiseLike<ItemsPage>;
      delete(itemId: string, body: { conversation_id: string }, options?: RequestOptions): PromiseLike<unknown>;
    };
  };
}

export interface ItemsQuery {
  limit: number;
  order: 'asc' | 'desc';
  after?: string;
}

export interface ItemsPage {
  readonly data: readonly object[];
  readonly has_more: boolean;
  readonly last_id: string;
}

/** The part of an `OpenAI` client that {@link OpenAIVectorStore} uses. */
export interface VectorStoresClient {
  readonly maxRetries?: number;
  readonly files: {
    create(body: { file: File; purpose: 'assistants' }, options?: RequestOptions): PromiseLike<{ readonly id: string }>;
    delete(fileId: string, options?: RequestOptions): PromiseLike<unknown>;
  };
  readonly vectorStores: {
    search(
      vectorStoreId: string,
      body: { query: string; filters: AttributeFilter; max_num_results: number; rewrite_query: boolean },
      options?: RequestOptions,
    ): PromiseLike<{ readonly data: readonly SearchResult[] }>;
    readonly files: {
      create(vectorStoreId: string, body: NewFile, options?: RequestOptions): PromiseLike<IndexedFile>;
      retrieve(fileId: string, at: InStore, options?: RequestOptions): PromiseLike<IndexedFile>;
      update(
        fileId: string,
        body: InStore & { attributes: Attributes },
        options?: RequestOptions,
      ): PromiseLike<unknown>;
      delete(fileId: string, at: InStore, options?: RequestOptions): PromiseLike<unknown>;
      list(
        vectorStoreId: string,
        query: { limit: number; order: 'asc'; after?: string },
        options?: RequestOptions,
      ): PromiseLike<{ readonly data: readonly IndexedFile[]; readonly has_more: boolean }>;
      content(
        fileId: string,
        at: InStore,
        options?: RequestOptions,
      ): PromiseLike<{ readonly data: readonly { readonly text?: string }[] }>;
    };
  };
}

interface InStore {
  vector_store_id: string;
}

interface NewFile {
  file_id: string;
  attributes: Attributes;
  chunking_strategy: {
    type: 'static';
    static: { max_chunk_size_tokens: number; chunk_overlap_tokens: number };
  };
}

/** The attributes of a file. */
export type Attributes = { [key: string]: string | number | boolean };

/** A filter over attributes, in the form of the API. */
export type AttributeFilter = Comparison | { type: 'and' | 'or'; filters: AttributeFilter[] };

interface Comparison {
  type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin';
  key: string;
  value: string | number | boolean | (string | number)[];
}

export interface IndexedFile {
  readonly id: string;
  readonly status: string;
  readonly last_error: { readonly code: string } | null;
  readonly attributes?: Readonly<Attributes> | null;
}

export interface SearchResult {
  readonly file_id: string;
  readonly score: number;
  readonly attributes: Readonly<Attributes> | null;
  readonly content: readonly { readonly text: string }[];
}

/** The part of an `OpenAI` client that {@link openaiModel} uses. */
export interface ResponsesClient {
  readonly responses: {
    create(body: ResponseRequest, options?: RequestOptions): PromiseLike<ModelResponse>;
  };
}

interface ResponseRequest {
  model: string;
  input: string;
  instructions?: string;
  store: boolean;
  stream: false;
  text?: { format: { type: 'json_schema'; name: string; schema: { [key: string]: unknown }; strict: boolean } };
}

export interface ModelResponse {
  readonly output: readonly object[];
  readonly incomplete_details: { readonly reason?: string } | null;
  readonly usage?: Usage;
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** The part of an `OpenAI` client that {@link compacting} uses. */
export interface CompactionClient {
  readonly responses: {
    compact(
      body: { model: string | null; input?: string | object[] | null },
      options?: RequestOptions,
    ): PromiseLike<{ readonly output: readonly object[]; readonly usage: Usage }>;
  };
}

/** The part of an `OpenAI` client that {@link openaiEmbedder} uses. */
export interface EmbeddingsClient {
  readonly embeddings: {
    create(
      body: { model: string; input: string[]; dimensions: number },
      options?: RequestOptions,
    ): PromiseLike<{ readonly data: readonly { readonly index: number; readonly embedding: ArrayLike<number> }[] }>;
  };
}
