import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '@keepsake/core';
import { AbstractSession, type AskedHistory, type DecideEdit, encodeItems } from '@keepsake/core/adapter';

/** An array of JSON texts. Counts the items read. Like a real session, it answers reads asynchronously. */
class TestHistory {
  texts: readonly string[];
  operations = new Map<string, string>();
  itemsRead = 0;
  largestRead = 0;

  constructor(items: readonly object[]) {
    this.texts = encodeItems(items);
  }

  async newest(limit: number): Promise<readonly string[]> {
    await setImmediate();
    const newest = this.#end(limit);
    this.itemsRead += newest.length;
    this.largestRead = Math.max(this.largestRead, newest.length);
    return newest;
  }

  append(items: readonly string[]): void {
    this.texts = [...this.texts, ...items];
  }

  change({ items: count, operation }: AskedHistory, decide: DecideEdit): void {
    const digest = operation && this.operations.get(operation.operationId);
    const edit = decide({ exists: true, items: this.#end(count), digest });
    if (edit === undefined) return;
    this.texts = [...this.texts.slice(0, Math.max(0, this.texts.length - edit.drop)), ...edit.append];
    if (edit.forgetOperations) this.operations.clear();
    if (operation) this.operations.set(operation.operationId, operation.digest);
  }

  #end(count: number): readonly string[] {
    return this.texts.slice(Math.max(0, this.texts.length - count));
  }
}

/** The smallest durable session, which a test can read and damage. */
export class TestSession<Item extends object = JsonObject> extends AbstractSession<Item> {
  readonly id: string;
  readonly history: TestHistory;

  constructor(id = 'test', items: readonly object[] = []) {
    const history = new TestHistory(items);
    super(id, history);
    this.id = id;
    this.history = history;
  }

  get texts(): readonly string[] {
    return this.history.texts;
  }

  set texts(texts: readonly string[]) {
    this.history.texts = texts;
  }
}
