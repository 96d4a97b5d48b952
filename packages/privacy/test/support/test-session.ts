import { setImmediate } from 'node:timers/promises';
import type { DurableSession, JsonObject, SessionHistoryMutation, SessionHistoryTransaction } from '@keepsake/core';
import {
  encodeItems,
  expectSuffix,
  itemLimit,
  prepareMutations,
  prepareTransaction,
  replaceFunctionCalls,
  wasApplied,
} from '@keepsake/core/adapter';

/**
 * The smallest durable session: an array of JSON texts that a test can read and damage. Counts the items read. Like a
 * real session, it answers reads asynchronously.
 */
export class TestSession<Item extends object = JsonObject> implements DurableSession<Item> {
  readonly id: string;
  texts: readonly string[];
  operations = new Map<string, string>();
  itemsRead = 0;
  largestRead = 0;

  constructor(id = 'test', items: readonly object[] = []) {
    this.id = id;
    this.texts = encodeItems(items);
  }

  async getSessionId(): Promise<string> {
    return this.id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    const count = itemLimit(limit) ?? Infinity;
    await setImmediate();
    const newest = this.texts.slice(Math.max(0, this.texts.length - count));
    this.itemsRead += newest.length;
    this.largestRead = Math.max(this.largestRead, newest.length);
    return newest.map((text) => JSON.parse(text) as Item);
  }

  async addItems(items: Item[]): Promise<void> {
    this.texts = [...this.texts, ...encodeItems(items)];
  }

  async popItem(): Promise<Item | undefined> {
    const newest = this.texts.at(-1);
    this.texts = this.texts.slice(0, -1);
    return newest === undefined ? undefined : (JSON.parse(newest) as Item);
  }

  async clearSession(): Promise<void> {
    this.texts = [];
    this.operations.clear();
  }

  async applyHistoryTransaction(args: {
    operationId: string;
    transaction: SessionHistoryTransaction<Item>;
  }): Promise<void> {
    const change = await prepareTransaction(args);
    if (wasApplied(change, this.operations.get(change.operationId))) return;
    const kept = Math.max(0, this.texts.length - change.expectedSuffix.length);
    expectSuffix(change, this.texts.slice(kept));
    this.texts = [...this.texts.slice(0, kept), ...change.items];
    this.operations.set(change.operationId, change.digest);
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    this.texts = replaceFunctionCalls(this.texts, prepareMutations(args));
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    this.texts = encodeItems(items);
  }
}
