import { type AnyItem, isMemoryError, type JsonObject, MemoryError, type Session } from '@keepsake/core';
import { encodeItems, expectKnownFields, type FieldNames, itemLimit } from '@keepsake/core/adapter';
import { environmentClient } from './api/environment-client.ts';
import type { ConversationsClient } from './api/openai-client.ts';
import { CALL_ITEMS, ConversationsApi } from './sessions/conversations-api.ts';
import { comparable, fromApiItem, toApiItem } from './sessions/items.ts';

/** Options of {@link OpenAIConversationsSession}. */
export interface OpenAIConversationsSessionOptions {
  /**
   * An `OpenAI` client.
   *
   * @default a client created by the first request, which reads `OPENAI_API_KEY` and `OPENAI_BASE_URL`
   */
  readonly client?: ConversationsClient | undefined;
  /**
   * The id of an existing conversation, such as `conv_68a…`.
   *
   * @default a new conversation, created by the first write
   */
  readonly conversationId?: string | undefined;
}

const OPTIONS: FieldNames<OpenAIConversationsSessionOptions> = { client: true, conversationId: true };

/**
 * A session in a conversation at OpenAI.
 *
 * Items are those of the OpenAI Agents SDK: items that the API has no form for are refused with `INVALID_ARGUMENT`. The API
 * accepts 20 items per request, so a batch of up to 20 is atomic. A larger one is written in parts: other clients may see
 * them and write between them, and if a part fails, the earlier parts are removed. One instance makes its changes one after
 * the other.
 *
 * The API assigns the ids: `getSessionId()` creates the conversation if there is none yet, and `clearSession()` deletes it,
 * so the next one has a new id. There are no transactions and no changes of history.
 *
 * @example
 * const session = new OpenAIConversationsSession();
 * await session.addItems([{ role: 'user', content: 'Where were we?' }]);
 */
export class OpenAIConversationsSession<Item extends object = AnyItem> implements Session<Item> {
  readonly #api: ConversationsApi;
  #id: string | undefined;
  #creating: Promise<string> | undefined;
  #changes: Promise<unknown> = Promise.resolve();

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid client or conversation id. */
  constructor(options: OpenAIConversationsSessionOptions = {}) {
    const { client, conversationId } = expectKnownFields(options, OPTIONS);
    if (client !== undefined && typeof client?.conversations?.items?.create !== 'function') {
      throw new MemoryError('INVALID_ARGUMENT', '`client` must be an OpenAI client with `conversations`.');
    }
    if (conversationId !== undefined && !/^conv_[\w-]{1,128}$/.test(conversationId)) {
      throw new MemoryError('INVALID_ARGUMENT', "`conversationId` must be an id from the API, such as 'conv_68a…'.");
    }
    this.#api = new ConversationsApi(() => client ?? environmentClient());
    this.#id = conversationId;
  }

  /** The id of the conversation, or `undefined` if there is none yet. Never creates one. */
  get conversationId(): string | undefined {
    return this.#id;
  }

  /** The id of the conversation, which is created if there is none yet. The id stays until the session is cleared. */
  async getSessionId(): Promise<string> {
    return this.#open();
  }

  /**
   * The items, oldest first: the whole conversation or its newest `limit` items. Reads page by page.
   *
   * @throws MemoryError `CONFLICT` if another client deleted the conversation.
   */
  async getItems(limit?: number): Promise<Item[]> {
    const wanted = itemLimit(limit);
    const id = wanted === 0 ? undefined : (this.#id ?? (await this.#creating?.catch(() => undefined)));
    if (id === undefined) return [];
    try {
      return (await this.#api.readItems(id, wanted)).map(fromApiItem) as Item[];
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT')) throw error;
      // This instance may be clearing the conversation itself.
      await this.#changes;
      if (this.#id === id) throw error;
      return [];
    }
  }

  /**
   * Appends the items in order: up to 20 atomically, more in parts of 20.
   *
   * @throws MemoryError `OUTCOME_UNKNOWN` if a connection broke or a part could not be removed; the message says which items
   *   were written. After any other error, none of the items was written.
   */
  async addItems(items: Item[]): Promise<void> {
    const written = encodeItems(items).map((text, index) => toApiItem(JSON.parse(text), `items[${index}]`));
    if (written.length === 0) return;
    return this.#change(async () => this.#append(await this.#open(), written));
  }

  /**
   * Removes and returns the newest item. Concurrent callers get different items, because the API confirms the deletion of an
   * item to one caller only.
   *
   * @throws MemoryError `OUTCOME_UNKNOWN` if the connection broke during the removal.
   */
  async popItem(): Promise<Item | undefined> {
    return this.#change(async () => {
      const id = this.#id ?? (await this.#creating?.catch(() => undefined));
      if (id === undefined) return undefined;
      const lost = new Set<string>();
      for (;;) {
        const page = await this.#api.listItems(id, { limit: 1, order: 'desc' });
        const newest = page.data[0];
        if (newest === undefined) return undefined;
        // The API returns some kinds of items without their id, but the page has it.
        const itemId = (newest as { id?: string }).id ?? page.last_id;
        if (!itemId || lost.has(itemId)) throw notRemovable();
        if (await this.#api.deleteItem(id, itemId)) return fromApiItem(newest) as Item;
        // Another caller popped it.
        lost.add(itemId);
      }
    });
  }

  /** Deletes the conversation, if there is one. The next use creates a new one with another id. */
  async clearSession(): Promise<void> {
    return this.#change(async () => {
      const id = this.#id ?? (await this.#creating?.catch(() => undefined));
      if (id === undefined) return;
      await this.#api.deleteConversation(id);
      this.#id = undefined;
      this.#creating = undefined;
    });
  }

  /** For runners of the OpenAI Agents SDK: keeps the ids of reasoning items, which the API needs. */
  preserveReasoningItemIdsForPersistence(): boolean {
    return true;
  }

  /** For runners of the OpenAI Agents SDK: removes the conversation's id from an item before it is sent to a model. */
  prepareHistoryItemForModelInput(item: Item): Item {
    const { id, ...rest } = item as { id?: unknown; type?: string };
    return STRIPPED.includes(rest.type ?? 'message') ? (rest as Item) : item;
  }

  /**
   * For runners of the OpenAI Agents SDK: removes the fields that the API adds, so that stored and given items are
   * comparable.
   */
  prepareHistoryItemsForPersistenceComparison(items: Item[]): Item[] {
    return items.map((item) => comparable(item as JsonObject)) as Item[];
  }

  /** Creates the conversation once, also for concurrent callers. */
  #open(): Promise<string> {
    if (this.#id !== undefined) return Promise.resolve(this.#id);
    this.#creating ??= this.#api.createConversation().then(
      (id) => {
        this.#id = id;
        return id;
      },
      (error) => {
        this.#creating = undefined;
        throw error;
      },
    );
    return this.#creating;
  }

  /** Runs changes one after the other, so that the batches of this instance don't interleave. */
  #change<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(action);
    this.#changes = done.catch(() => undefined);
    return done;
  }

  async #append(id: string, items: JsonObject[]): Promise<void> {
    const written: (string | undefined)[] = [];
    while (written.length < items.length) {
      const part = items.slice(written.length, written.length + CALL_ITEMS);
      try {
        written.push(...(await this.#api.createItems(id, part)));
      } catch (error) {
        throw await this.#takeBack(id, written, items.length, error as MemoryError);
      }
    }
  }

  /** Removes the written parts of a batch whose next part failed. Returns the error to throw. */
  async #takeBack(
    id: string,
    written: (string | undefined)[],
    total: number,
    error: MemoryError,
  ): Promise<MemoryError> {
    if (written.length === 0) return error;
    const next = Math.min(total, written.length + CALL_ITEMS);
    if (isMemoryError(error, 'OUTCOME_UNKNOWN')) {
      const unknown = `items ${written.length} to ${next - 1} may have been`;
      return partlyWritten(
        `Items 0 to ${written.length - 1} of ${total} were written, ${unknown}, later items were not.`,
        error,
      );
    }
    let left = written.length;
    try {
      // From the end, so that the remaining items are always the beginning of the batch.
      while (left > 0) {
        const itemId = written[left - 1];
        if (itemId === undefined) break;
        await this.#api.deleteItem(id, itemId);
        left--;
      }
    } catch {
      // Reported below, with the remaining items.
    }
    if (left === 0) return error;
    return partlyWritten(`Items 0 to ${left - 1} of ${total} were written and could not be removed.`, error);
  }
}

/**
 * Kinds of items that are sent to a model without their id: with it, the API would require the reasoning item before them.
 */
const STRIPPED = [
  'message',
  'function_call',
  'function_call_result',
  'computer_call_result',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
];

function notRemovable(): MemoryError {
  const message = 'The service lists an item that it cannot remove. Nothing was popped. Try again later.';
  return new MemoryError('BACKEND', message, { retryable: true });
}

function partlyWritten(message: string, cause: MemoryError): MemoryError {
  return new MemoryError('OUTCOME_UNKNOWN', `${message} Read the conversation before you continue.`, { cause });
}
