import { AppliedOperations, type AskedHistory, type HistoryEdit } from '@keepsake/core/adapter';

let changes = 0;

/**
 * The data of one session. Items are kept as JSON text, which isolates callers from each other at a third of the cost of
 * copying objects. Every method is synchronous and therefore atomic.
 */
export class SessionHistory {
  readonly #createdMs = Date.now();
  /** A number, because formatting it on every change would be a large part of the cost of an append. */
  #updatedMs = this.#createdMs;
  /** Increases with every change of any session, to order sessions by activity. Millisecond timestamps have ties. */
  activity = 0;
  #items: string[] = [];
  #operations = new AppliedOperations();

  get createdAt(): string {
    return new Date(this.#createdMs).toISOString();
  }

  get updatedAt(): string {
    return new Date(this.#updatedMs).toISOString();
  }

  get length(): number {
    return this.#items.length;
  }

  /** The newest items. Don't modify them, and read them before the next change of the session. */
  newest(limit: number): readonly string[] {
    const start = Math.max(0, this.#items.length - limit);
    return start === 0 ? this.#items : this.#items.slice(start);
  }

  append(items: readonly string[]): void {
    // No spread, which overflows the stack at a hundred thousand items.
    for (const item of items) this.#items.push(item);
    this.#updatedMs = Date.now();
    this.activity = ++changes;
  }

  digestOf(operationId: string): string | undefined {
    return this.#operations.get(operationId)?.digest;
  }

  edit({ drop, append, forgetOperations = false }: HistoryEdit, operation: AskedHistory['operation']): void {
    this.#items.length = Math.max(0, this.#items.length - drop);
    this.append(append);
    if (forgetOperations) this.#operations = new AppliedOperations();
    if (operation === undefined) return;
    const { operationId, digest } = operation;
    this.#operations.add(operationId, { digest, appliedMs: this.#updatedMs }, this.#items.length);
  }
}
