/**
 * Which operation ids a session must remember, see `DurableSession.applyHistoryTransaction`. It may forget an id only if none
 * of these apply. Forget only a few ids per change, so that no change is slow.
 */
export const OPERATION_IDS = {
  /** Those of the last 30 days, in milliseconds. */
  keepMs: 30 * 24 * 60 * 60 * 1_000,
  /** However old they are, the latest: this many, or as many as the session has items if that is more. */
  keepCount: 1_000,
} as const;

/** An operation that was applied. */
export interface AppliedOperation {
  readonly digest: string;
  /** When it was applied, in milliseconds since 1970. */
  readonly appliedMs: number;
}

/**
 * The operations that a session remembers, for backends that hold them in memory: at most twice as many as
 * {@link OPERATION_IDS} requires. What adding one costs does not depend on their number, on average.
 */
export class AppliedOperations<Operation extends AppliedOperation = AppliedOperation> {
  /** Oldest first. */
  readonly #byId = new Map<string, Operation>();
  #forgetFrom = 2 * OPERATION_IDS.keepCount;

  get(operationId: string): Operation | undefined {
    return this.#byId.get(operationId);
  }

  /** The operations by their ids, oldest first. */
  entries(): IterableIterator<[operationId: string, Operation]> {
    return this.#byId.entries();
  }

  /** Adds an operation, and returns those that are forgotten instead. */
  add(operationId: string, operation: Operation, itemCount: number): readonly Operation[] {
    this.#byId.set(operationId, operation);
    if (this.#byId.size < this.#forgetFrom) return [];
    const forgotten = this.forgetOld(operation.appliedMs, itemCount);
    // One by one would cost more: a map looks for its first entry among those that were removed before it.
    this.#forgetFrom = 2 * this.#byId.size;
    return forgotten;
  }

  /** Forgets all that need not be remembered, and returns them. */
  forgetOld(nowMs: number, itemCount: number): readonly Operation[] {
    const forgotten: Operation[] = [];
    let spare = this.#byId.size - Math.max(OPERATION_IDS.keepCount, itemCount);
    for (const [operationId, operation] of this.#byId) {
      if (spare-- <= 0 || operation.appliedMs >= nowMs - OPERATION_IDS.keepMs) break;
      this.#byId.delete(operationId);
      forgotten.push(operation);
    }
    return forgotten;
  }
}
