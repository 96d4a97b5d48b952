import { isMemoryError, type JsonObject, MemoryError } from '@keepsake/core';
import { ask, change } from './call.ts';
import type { ConversationsClient, ItemsPage, ItemsQuery } from './openai-client.ts';
import { statusOf } from './openai-errors.ts';

/** How many items the API takes a call. */
export const CALL_ITEMS = 20;

/** How many items the API gives a page. */
const PAGE_ITEMS = 100;

/** How often a list is begun again when others remove what it stood on. */
const LIST_ATTEMPTS = 10;

/** The calls of the Conversations API that a session makes, with errors of ours. */
export class ConversationsApi {
  readonly #client: ConversationsClient;

  constructor(client: ConversationsClient) {
    this.#client = client;
  }

  /** Makes an empty conversation, and returns its id. */
  async createConversation(): Promise<string> {
    const { conversations } = this.#client;
    // One too many, should a link break, is empty and costs nothing: so this can be tried again.
    const { id } = await ask({ action: 'Making a conversation' }, (options) => conversations.create({}, options));
    return id;
  }

  /** Deletes a conversation; one that is gone already is no error. */
  async deleteConversation(id: string): Promise<void> {
    const { conversations } = this.#client;
    await unlessNotFound(
      change(this.#client, { action: 'Deleting the conversation' }, (options) => conversations.delete(id, options)),
    );
  }

  /** Appends up to 20 items in one step, and returns their ids. */
  async createItems(id: string, items: JsonObject[]): Promise<(string | undefined)[]> {
    const { data } = await inConversation(
      change(this.#client, { action: 'Adding items to the conversation' }, (options) =>
        this.#client.conversations.items.create(id, { items }, options),
      ),
    );
    return data.map((item) => (item as { id?: string }).id);
  }

  /** Removes an item, and says whether it was there. */
  async deleteItem(id: string, itemId: string): Promise<boolean> {
    const { items } = this.#client.conversations;
    return unlessNotFound(
      change(this.#client, { action: 'Removing an item of the conversation' }, (options) =>
        items.delete(itemId, { conversation_id: id }, options),
      ),
    );
  }

  /** One page of items. */
  listItems(id: string, query: ItemsQuery): Promise<ItemsPage> {
    const { items } = this.#client.conversations;
    return inConversation(ask({ action: 'Reading the conversation' }, (options) => items.list(id, query, options)));
  }

  /** The newest items, or all, oldest first. */
  async readItems(id: string, limit: number | undefined): Promise<object[]> {
    for (let attempt = 1; ; attempt++) {
      const items = await this.#readPages(id, limit);
      if (items !== undefined) return items;
      if (attempt === LIST_ATTEMPTS) {
        const message = 'Reading the conversation failed: others kept removing items meanwhile. Try again.';
        throw new MemoryError('BACKEND', message, { retryable: true });
      }
    }
  }

  /** Follows the pages to the end; `undefined` where the item that a page ended with was removed meanwhile. */
  async #readPages(id: string, limit: number | undefined): Promise<object[] | undefined> {
    const order = limit === undefined ? 'asc' : 'desc';
    const wanted = limit ?? Number.POSITIVE_INFINITY;
    const items: object[] = [];
    let after: string | undefined;
    do {
      const size = Math.min(PAGE_ITEMS, wanted - items.length);
      const query = { limit: size, order, ...(after === undefined ? {} : { after }) } as const;
      let page: ItemsPage;
      try {
        page = await this.listItems(id, query);
      } catch (error) {
        if (after !== undefined && isMemoryError(error, 'CONFLICT')) return undefined;
        throw error;
      }
      items.push(...page.data);
      after = page.has_more ? page.last_id : undefined;
    } while (after !== undefined && items.length < wanted);
    return order === 'asc' ? items : items.reverse();
  }
}

/** A call that only fails with 404 where the conversation is gone. */
async function inConversation<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new MemoryError(
      'CONFLICT',
      'The conversation is not there: it was deleted, as clearSession() does, or belongs to another project. Go on with a new session.',
      { cause: (error as Error).cause },
    );
  }
}

/** Waits for a call, and says whether what it is about was there. */
async function unlessNotFound(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return isMemoryError(error, 'BACKEND') && statusOf(error.cause) === 404;
}
