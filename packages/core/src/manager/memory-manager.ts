import { MemoryError } from '../errors.ts';
import type { MemoryEntry } from '../memory-store.ts';
import { checkId } from '../text.ts';
import type { MemoryTool } from '../tool.ts';
import { uuidv7 } from '../uuid.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { Extraction, type Saved } from './extraction.ts';
import type {
  MemoryAddOptions,
  MemoryAddResult,
  MemoryManagerOptions,
  MemorySearchOptions,
} from './manager-options.ts';
import { telemetry } from './telemetry.ts';

/**
 * Gives agents long-term memory from one or more stores: what is known comes into the model's input by itself
 * (injection) and by tools, and conversations become memories (extraction).
 *
 * One manager serves all conversations of the same scope. It opens and closes no store. Disposing of it saves what is
 * outstanding.
 */
export class MemoryManager {
  readonly #extraction: Extraction;
  readonly #conversations = new Map<string, Conversation>();

  /** @throws MemoryError `INVALID_ARGUMENT` for whatever can't work, with the store's name. */
  constructor(options: MemoryManagerOptions) {
    const { stores, model, outbox, deadlineMs = 2_000, maxBuffered = 10_000 } = options;
    this.#extraction = new Extraction({
      stores: stores.filter(({ extraction }) => extraction !== undefined && extraction !== false),
      ...(model && { model }),
      ...(outbox && { outbox }),
      maxBuffered,
      deadlineMs,
      report: (failure) => options.onStoreError?.(failure),
      span: telemetry(options.recordContent ?? false),
    });
  }

  /**
   * What the stores know that fits a text, best first. Stores are asked at the same time. One that fails or does not
   * answer in time is left out, and reported. Entries of the same content are given once.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for unknown stores, `BACKEND` when every store failed, `ABORTED`.
   */
  search(_query: string, _options?: MemorySearchOptions): Promise<MemoryEntry[]> {
    return Promise.reject(new MemoryError('UNSUPPORTED', 'Not yet.'));
  }

  /**
   * Writes a text to stores, at the same time. Nothing is written where one of them can't take it.
   *
   * @throws MemoryError `INVALID_ARGUMENT`, `READ_ONLY`, `UNSUPPORTED` or `TOO_LARGE`, before anything is written.
   * @throws AggregateError of a MemoryError for each store that failed; its message says which did not.
   */
  add(_content: string, _options?: MemoryAddOptions): Promise<MemoryAddResult[]> {
    return Promise.reject(new MemoryError('UNSUPPORTED', 'Not yet.'));
  }

  /** The tools for models: the manager's own and those of the stores. */
  tools(): MemoryTool[] {
    return [];
  }

  /**
   * A conversation: the one of that id, else a new one. Without an id, it gets one of its own.
   *
   * @param options - `id`: the thread, 1 to 512 characters.
   */
  conversation({ id = uuidv7() }: { readonly id?: string } = {}): Conversation {
    checkId(id, 'id');
    const known = this.#conversations.get(id) ?? openConversation(id, undefined, this.#extraction.conversation(id));
    this.#conversations.set(id, known);
    return known;
  }

  /** Saves everything that was observed, and says of each store how many messages it saved and failed to. */
  flush(options?: { readonly throwOnFailure?: boolean }): Promise<Record<string, Saved>> {
    return this.#extraction.flush(options);
  }

  /** Finishes what a process before this one left in the outbox. */
  recover(): Promise<Record<string, Saved>> {
    return this.#extraction.recover();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#extraction.flush();
    await this.#extraction.close();
  }
}
