import { encodeItems, isMemoryError, itemLimit, type JsonObject, MemoryError, type Session } from '@keepsake/core';
import { CALL_ITEMS, ConversationsApi } from './conversations-api.ts';
import { comparable, fromApiItem, toApiItem } from './items.ts';
import type { ConversationsClient } from './openai-client.ts';

/** Which conversation to work with. */
export interface OpenAIConversationsSessionOptions {
  /** An `OpenAI` client. It is yours, and nothing here closes it. */
  readonly client: ConversationsClient;
  /** A conversation that is there, such as `conv_68a…`. By default a new one, made when something is first written. */
  readonly conversationId?: string;
}

/**
 * A session in a conversation at OpenAI.
 *
 * Items are those of the OpenAI Agents SDK: what the API has no form for is refused with `INVALID_ARGUMENT`. The API takes
 * 20 items a call, so a batch of up to 20 lands as a whole and a larger one in parts, which others may see and write
 * between; a part that fails takes the earlier ones back. Within one instance changes are made one after the other.
 *
 * The API makes the ids: `getSessionId()` makes the conversation where there is none yet, and `clearSession()` deletes it,
 * so the next one has another id. There are no transactions and no rewriting of history.
 */
export class OpenAIConversationsSession<Item extends object = JsonObject> implements Session<Item> {
  readonly #api: ConversationsApi;
  #id: string | undefined;
  #creating: Promise<string> | undefined;
  #changes: Promise<unknown> = Promise.resolve();

  /** @throws MemoryError `INVALID_ARGUMENT` without a client, or for an id that the API did not make. */
  constructor(options: OpenAIConversationsSessionOptions) {
    const { client, conversationId } = options ?? {};
    if (typeof client?.conversations?.items?.create !== 'function') {
      throw new MemoryError('INVALID_ARGUMENT', 'client is to be an OpenAI client that has conversations.');
    }
    if (conversationId !== undefined && !/^conv_[\w-]{1,128}$/.test(conversationId)) {
      throw new MemoryError(
        'INVALID_ARGUMENT',
        "conversationId is to be an id that the API made, such as 'conv_68a…'.",
      );
    }
    this.#api = new ConversationsApi(client);
    this.#id = conversationId;
  }

  /** The id of the conversation, where there is one: asking makes none. */
  get conversationId(): string | undefined {
    return this.#id;
  }

  /** The id of the conversation, which is made where there is none yet. It stays until the session is cleared. */
  async getSessionId(): Promise<string> {
    return this.#open();
  }

  /**
   * The items, oldest first: the whole conversation, or its newest `limit` items, page by page.
   *
   * @throws MemoryError `CONFLICT` when the conversation was deleted by others.
   */
  async getItems(limit?: number): Promise<Item[]> {
    const wanted = itemLimit(limit);
    const id = wanted === 0 ? undefined : (this.#id ?? (await this.#creating?.catch(() => undefined)));
    if (id === undefined) return [];
    try {
      return (await this.#api.readItems(id, wanted)).map(fromApiItem) as Item[];
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT')) throw error;
      // It may be gone since this very instance is clearing it.
      await this.#changes;
      if (this.#id === id) throw error;
      return [];
    }
  }

  /**
   * Appends the items in order: up to 20 in one step, more in parts of 20.
   *
   * @throws MemoryError `OUTCOME_UNKNOWN` where a link broke, or a part could not be taken back; the message says which
   *   items were written. After any other error none of them is there.
   */
  async addItems(items: Item[]): Promise<void> {
    const written = encodeItems(items).map((text, index) => toApiItem(JSON.parse(text), `items[${index}]`));
    if (written.length === 0) return;
    return this.#change(async () => this.#append(await this.#open(), written));
  }

  /**
   * Removes and returns the newest item. Of many callers each gets another: an item counts as popped by whose deletion
   * the API took.
   *
   * @throws MemoryError `OUTCOME_UNKNOWN` where the link broke while the item was being removed.
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
        // Some kinds of items come without their id; the page knows it.
        const itemId = (newest as { id?: string }).id ?? page.last_id;
        if (!itemId || lost.has(itemId)) throw notRemovable();
        if (await this.#api.deleteItem(id, itemId)) return fromApiItem(newest) as Item;
        // Another popper had it.
        lost.add(itemId);
      }
    });
  }

  /** Deletes the conversation; the next use begins another, of another id. Without one, it does nothing. */
  async clearSession(): Promise<void> {
    return this.#change(async () => {
      const id = this.#id ?? (await this.#creating?.catch(() => undefined));
      if (id === undefined) return;
      await this.#api.deleteConversation(id);
      this.#id = undefined;
      this.#creating = undefined;
    });
  }

  /** For runners of the OpenAI Agents SDK: reasoning is stored with the ids that the API needs. */
  preserveReasoningItemIdsForPersistence(): boolean {
    return true;
  }

  /** For runners of the OpenAI Agents SDK: an item for a model, without the id that it has in this conversation. */
  prepareHistoryItemForModelInput(item: Item): Item {
    const { id, ...rest } = item as { id?: unknown; type?: string };
    return STRIPPED.includes(rest.type ?? 'message') ? (rest as Item) : item;
  }

  /** For runners of the OpenAI Agents SDK: items without what the API adds, so that stored and given ones compare. */
  prepareHistoryItemsForPersistenceComparison(items: Item[]): Item[] {
    return items.map((item) => comparable(item as JsonObject)) as Item[];
  }

  /** Makes the conversation, once, however many ask. */
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

  /** Runs changes one after the other, so that batches of this instance stay together. */
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

  /** Removes what was written of a batch whose next part failed, and gives the error to throw. */
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
        `Items 0 to ${written.length - 1} of ${total} were written, ${unknown}, later ones not.`,
        error,
      );
    }
    let left = written.length;
    try {
      // From the end, so that what is left is always the beginning of the batch.
      while (left > 0) {
        const itemId = written[left - 1];
        if (itemId === undefined) break;
        await this.#api.deleteItem(id, itemId);
        left--;
      }
    } catch {
      // Said below, with what is left.
    }
    if (left === 0) return error;
    return partlyWritten(`Items 0 to ${left - 1} of ${total} were written and could not be taken back.`, error);
  }
}

/** Kinds of items whose ids a model's input does without: with one, the API looks for the reasoning that came before. */
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
  const message = 'The service lists an item that it can not remove. Nothing was popped; try again later.';
  return new MemoryError('BACKEND', message, { retryable: true });
}

function partlyWritten(message: string, cause: MemoryError): MemoryError {
  return new MemoryError('OUTCOME_UNKNOWN', `${message} Read the conversation before you go on.`, { cause });
}
