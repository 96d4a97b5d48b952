import {
  expectSuffix,
  type FunctionCallReplacement,
  type HistoryChange,
  LIMITS,
  replaceFunctionCalls,
  wasApplied,
} from '@keepsake/core';

let changes = 0;

/**
 * The data of one session. Items are JSON texts, which isolates callers from one another at a third of the cost of
 * copying objects. Nothing in here waits, so every method is atomic.
 */
export class SessionHistory {
  readonly #createdMs = Date.now();
  /** Kept as a number: writing it out as text at every change costs a good part of an append. */
  #updatedMs = this.#createdMs;
  /** Rises with every change of any session: orders sessions by activity, which times of a millisecond can't. */
  activity = 0;
  #items: string[] = [];
  /** Digests by operation id, in the order of their use. */
  readonly #operations = new Map<string, string>();

  get createdAt(): string {
    return new Date(this.#createdMs).toISOString();
  }

  get updatedAt(): string {
    return new Date(this.#updatedMs).toISOString();
  }

  get length(): number {
    return this.#items.length;
  }

  newest(limit: number | undefined): readonly string[] {
    return limit === undefined ? this.#items : this.#items.slice(Math.max(0, this.#items.length - limit));
  }

  append(items: readonly string[]): void {
    // No spread: it overflows the stack at a hundred thousand items.
    for (const item of items) this.#items.push(item);
    this.#touch();
  }

  pop(): string | undefined {
    const item = this.#items.pop();
    if (item !== undefined) this.#touch();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#operations.clear();
    this.#touch();
  }

  replace(items: readonly string[]): void {
    this.#items = [...items];
    this.#touch();
  }

  apply(change: HistoryChange): void {
    if (wasApplied(change, this.#operations.get(change.operationId))) return;
    const start = Math.max(0, this.#items.length - change.expectedSuffix.length);
    expectSuffix(change, this.#items.slice(start));
    this.#items.length = start;
    this.append(change.items);
    this.#remember(change);
  }

  mutate(mutations: readonly FunctionCallReplacement[]): void {
    const items = replaceFunctionCalls(this.#items, mutations);
    const changed = items.length !== this.#items.length || items.some((item, index) => item !== this.#items[index]);
    if (changed) this.replace(items);
  }

  #remember({ operationId, digest }: HistoryChange): void {
    this.#operations.set(operationId, digest);
    const [oldest] = this.#operations.keys();
    if (this.#operations.size > LIMITS.operationIds && oldest !== undefined) this.#operations.delete(oldest);
  }

  #touch(): void {
    this.#updatedMs = Date.now();
    this.activity = ++changes;
  }
}
