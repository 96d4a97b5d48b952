import { isMemoryError, type JsonObject, MemoryError } from '@keepsake/core';
import { ask, change } from '../api/call.ts';
import type { ConversationsClient, ItemsPage, ItemsQuery } from '../api/openai-client.ts';
import { statusOf } from '../api/openai-errors.ts';

/** Items per request. */
export const CALL_ITEMS = 20;

/** Items per page. */
const PAGE_ITEMS = 100;

/** Attempts to read the pages, which start over if another client removes the item of the cursor. */
const LIST_ATTEMPTS = 10;

/** The requests of a session to the Conversations API. Failures are `MemoryError`s. */
export class ConversationsApi {
  readonly #open: () => ConversationsClient | Promise<ConversationsClient>;
  #client: ConversationsClient | undefined;

  /** @param open - Returns the client. Called for the first request, and again after a failure. */
  constructor(open: () => ConversationsClient | Promise<ConversationsClient>) {
    this.#open = open;
  }

  /** Creates an empty conversation and returns its id. */
  async createConversation(): Promise<string> {
    const { conversations } = await this.#connect();
    // Safe to retry: if the connection breaks, at most an empty conversation is left, which costs nothing.
    const { id } = await ask({ action: 'Creating a conversation' }, (options) => conversations.create({}, options));
    return id;
  }

  /** Deletes a conversation, if it exists. */
  async deleteConversation(id: string): Promise<void> {
    const client = await this.#connect();
    await unlessNotFound(
      change(client, { action: 'Deleting the conversation' }, (options) => client.conversations.delete(id, options)),
    );
  }

  /** Appends up to 20 items atomically and returns their ids. */
  async createItems(id: string, items: JsonObject[]): Promise<(string | undefined)[]> {
    const client = await this.#connect();
    const { data } = await inConversation(
      change(client, { action: 'Adding items to the conversation' }, (options) =>
        client.conversations.items.create(id, { items }, options),
      ),
    );
    return data.map((item) => (item as { id?: string }).id);
  }

  /** Removes an item. Returns whether it existed. */
  async deleteItem(id: string, itemId: string): Promise<boolean> {
    const client = await this.#connect();
    return unlessNotFound(
      change(client, { action: 'Removing an item from the conversation' }, (options) =>
        client.conversations.items.delete(itemId, { conversation_id: id }, options),
      ),
    );
  }

  /** One page of items. */
  async listItems(id: string, query: ItemsQuery): Promise<ItemsPage> {
    const { items } = (await this.#connect()).conversations;
    return inConversation(ask({ action: 'Reading the conversation' }, (options) => items.list(id, query, options)));
  }

  /** The newest `limit` items, or all, oldest first. */
  async readItems(id: string, limit: number | undefined): Promise<object[]> {
    for (let attempt = 1; ; attempt++) {
      const items = await this.#readPages(id, limit);
      if (items !== undefined) return items;
      if (attempt === LIST_ATTEMPTS) {
        const message = 'Reading the conversation failed: other clients kept removing items. Try again.';
        throw new MemoryError('BACKEND', message, { retryable: true });
      }
    }
  }

  async #connect(): Promise<ConversationsClient> {
    this.#client ??= await this.#open();
    return this.#client;
  }

  /** Reads page after page. `undefined` if the last item of a page was removed before the next page was read. */
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

/** For requests whose only cause of a 404 is a missing conversation. */
async function inConversation<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new MemoryError(
      'CONFLICT',
      'The conversation does not exist: it was deleted, as clearSession() does, or belongs to another project. Continue with a new session.',
      { cause: (error as Error).cause },
    );
  }
}

/** Returns false if the request fails with 404. */
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
