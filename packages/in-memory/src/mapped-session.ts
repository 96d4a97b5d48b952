import {
  checkId,
  type DurableSession,
  encodeItems,
  itemLimit,
  type JsonObject,
  prepareMutations,
  prepareTransaction,
  type SessionHistoryMutation,
  type SessionHistoryTransaction,
} from '@keepsake/core';
import { SessionHistory } from './session-history.ts';

/** A session among others, by id, in a map that the caller keeps. */
export class MappedSession<Item extends object = JsonObject> implements DurableSession<Item> {
  readonly #id: string;
  readonly #histories: Map<string, SessionHistory>;

  constructor(sessionId: string, histories: Map<string, SessionHistory>, initialItems: readonly Item[] = []) {
    checkId(sessionId, 'sessionId');
    this.#id = sessionId;
    this.#histories = histories;
    this.#append(encodeItems(initialItems, 'initialItems'));
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    const count = itemLimit(limit);
    const newest = this.#histories.get(this.#id)?.newest(count) ?? [];
    return newest.map((item) => JSON.parse(item) as Item);
  }

  async addItems(items: Item[]): Promise<void> {
    this.#append(encodeItems(items));
  }

  async popItem(): Promise<Item | undefined> {
    const item = this.#change((history) => history.pop());
    return item === undefined ? undefined : (JSON.parse(item) as Item);
  }

  async clearSession(): Promise<void> {
    this.#change((history) => history.clear());
  }

  async applyHistoryTransaction(args: {
    operationId: string;
    transaction: SessionHistoryTransaction<Item>;
  }): Promise<void> {
    const change = await prepareTransaction(args);
    const history = this.#histories.get(this.#id) ?? new SessionHistory();
    history.apply(change);
    this.#histories.set(this.#id, history);
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args.mutations);
    this.#change((history) => history.mutate(mutations));
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (this.#histories.has(this.#id)) this.#change((history) => history.replace(encoded));
    else this.#append(encoded);
  }

  #append(items: readonly string[]): void {
    if (items.length === 0) return;
    const known = this.#histories.get(this.#id);
    const history = known ?? new SessionHistory();
    history.append(items);
    if (known === undefined) this.#histories.set(this.#id, history);
  }

  /** Changes the history where the session has come into being; there is nothing to change where it has not. */
  #change<T>(change: (history: SessionHistory) => T): T | undefined {
    const history = this.#histories.get(this.#id);
    return history === undefined ? undefined : change(history);
  }
}
