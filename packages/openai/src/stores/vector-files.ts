import { isMemoryError, MemoryError } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import { pause } from '@keepsake/internal';
import { ask } from '../api/call.ts';
import type {
  AttributeFilter,
  Attributes,
  IndexedFile,
  SearchResult,
  VectorStoresClient,
} from '../api/openai-client.ts';
import { statusOf } from '../api/openai-errors.ts';

/** The largest chunk size of the API, so that most memories are one chunk. */
const CHUNKS = { type: 'static' as const, static: { max_chunk_size_tokens: 4096, chunk_overlap_tokens: 0 } };

/** The API's limits for the results of a search and for the files of a page. */
export const MAX_RESULTS = 50;
const PAGE_FILES = 100;

/** The delay between polls of a file that is being indexed grows from the first to the longest. */
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 2_000;

/** The files of one vector store. All requests here are idempotent, and failures are `MemoryError`s. */
export class VectorFiles {
  readonly #client: VectorStoresClient;
  readonly #store: { vector_store_id: string };

  constructor(client: VectorStoresClient, vectorStoreId: string) {
    this.#client = client;
    this.#store = { vector_store_id: vectorStoreId };
  }

  async search(
    query: string,
    filters: AttributeFilter,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly SearchResult[]> {
    const body = { query, filters, max_num_results: Math.min(limit, MAX_RESULTS), rewrite_query: false };
    const { data } = await ask({ action: 'Searching the vector store', signal }, (options) =>
      this.#client.vectorStores.search(this.#store.vector_store_id, body, options),
    );
    return data;
  }

  /** Reads the whole text of a file. */
  async readText(fileId: string, signal?: AbortSignal): Promise<string> {
    const { data } = await ask({ action: 'Reading a memory', signal }, (options) =>
      this.#client.vectorStores.files.content(fileId, { ...this.#store }, options),
    );
    return data.map(({ text }) => text ?? '').join('');
  }

  /** Uploads a text and attaches it to the vector store. Removes the file if attaching fails. Returns the id of the file. */
  async create(name: string, text: string, attributes: Attributes, signal?: AbortSignal): Promise<string> {
    const { id } = await ask({ action: 'Uploading a memory', signal }, (options) =>
      this.#client.files.create(
        { file: new File([text], name, { type: 'text/plain' }), purpose: 'assistants' },
        options,
      ),
    );
    try {
      await ask({ action: 'Adding a memory to the vector store', signal }, (options) =>
        this.#client.vectorStores.files.create(
          this.#store.vector_store_id,
          { file_id: id, attributes, chunking_strategy: CHUNKS },
          options,
        ),
      );
      return id;
    } catch (error) {
      await this.delete(id).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Waits until a file is indexed.
   *
   * @throws MemoryError `TIMEOUT` or `ABORTED` if indexing is still in progress; `BACKEND` if it failed, after removing the
   *   file.
   */
  async untilIndexed(fileId: string, deadlineMs: number, signal?: AbortSignal): Promise<void> {
    const end = performance.now() + deadlineMs;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, LONGEST_POLL_MS)) {
      const file = await ask({ action: 'Waiting until a memory is indexed', signal }, (options) =>
        this.#client.vectorStores.files.retrieve(fileId, { ...this.#store }, options),
      );
      if (file.status === 'completed') return;
      if (file.status !== 'in_progress') {
        await this.delete(fileId).catch(() => undefined);
        throw new MemoryError(
          'BACKEND',
          `The service could not index the memory (${file.last_error?.code ?? file.status}).`,
        );
      }
      const left = end - performance.now();
      if (left <= 0) {
        const message = 'The memory was stored but not indexed within the deadline. Add it again to continue waiting.';
        throw new MemoryError('TIMEOUT', message, { retryable: true });
      }
      await pause(Math.min(wait, left), signal);
      throwIfAborted(signal);
    }
  }

  async update(fileId: string, attributes: Attributes, signal?: AbortSignal): Promise<void> {
    await ask({ action: 'Changing a memory', signal }, (options) =>
      this.#client.vectorStores.files.update(fileId, { ...this.#store, attributes }, options),
    );
  }

  /** Deletes a file from every vector store. Returns whether it existed. */
  async delete(fileId: string): Promise<boolean> {
    try {
      await ask({ action: 'Deleting a memory' }, (options) => this.#client.files.delete(fileId, options));
      return true;
    } catch (error) {
      if (isMemoryError(error, 'BACKEND') && statusOf(error.cause) === 404) return false;
      throw error;
    }
  }

  /** All files, indexed or not. */
  async list(): Promise<IndexedFile[]> {
    const files: IndexedFile[] = [];
    let after: string | undefined;
    do {
      const query = { limit: PAGE_FILES, order: 'asc' as const, ...(after === undefined ? {} : { after }) };
      const page = await ask({ action: 'Listing the vector store' }, (options) =>
        this.#client.vectorStores.files.list(this.#store.vector_store_id, query, options),
      );
      files.push(...page.data);
      after = page.has_more ? page.data.at(-1)?.id : undefined;
    } while (after !== undefined);
    return files;
  }
}
