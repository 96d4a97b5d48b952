import { setImmediate } from 'node:timers/promises';
import { encodeItems, itemLimit } from '../../src/adapter.ts';
import type { JsonObject, Session } from '../../src/index.ts';

/** The smallest session. Counts the items read. Like a real session, it answers reads asynchronously. */
export class TestSession<Item extends object = JsonObject> implements Session<Item> {
  #items: readonly Item[];
  itemsRead = 0;
  largestRead = 0;

  constructor(items: readonly object[] = []) {
    this.#items = encodeItems(items).map((text) => JSON.parse(text) as Item);
  }

  async getSessionId(): Promise<string> {
    return 'test';
  }

  async getItems(limit?: number): Promise<Item[]> {
    const count = itemLimit(limit) ?? Infinity;
    await setImmediate();
    const newest = this.#items.slice(Math.max(0, this.#items.length - count));
    this.itemsRead += newest.length;
    this.largestRead = Math.max(this.largestRead, newest.length);
    return structuredClone(newest) as Item[];
  }

  async addItems(items: Item[]): Promise<void> {
    this.#items = [...this.#items, ...items];
  }

  async popItem(): Promise<Item | undefined> {
    const newest = this.#items.at(-1);
    this.#items = this.#items.slice(0, -1);
    return newest;
  }

  async clearSession(): Promise<void> {
    this.#items = [];
  }
}
