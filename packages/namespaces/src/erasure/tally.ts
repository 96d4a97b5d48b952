import type { Namespace } from '@keepsake/core';

/** A namespace that contained data of a principal. */
export interface ErasedNamespace {
  readonly namespace: Namespace;
  /** Private memories, what a manager has not saved yet, or entries of a pool or a team. */
  readonly kind: 'memory' | 'outbox' | 'shared';
  /** The number of records that were removed from it, or would be. */
  readonly recordCount: number;
}

/** What was removed, or would be. */
export interface ErasedCounts {
  /** The namespaces that contained something, including those below private memories, with their counts. */
  readonly namespaces: readonly ErasedNamespace[];
  /** Private memories of all agents. */
  readonly memories: number;
  /** Unsaved turns of managers whose outbox is below a private memory. */
  readonly outboxRecords: number;
  /** Entries they wrote in pools and teams; 0 without `sharedEntries`. */
  readonly sharedEntries: number;
  readonly sessions: number;
  readonly sessionItems: number;
}

/** Counts what is erased, over all passes. */
export class Tally {
  readonly #namespaces = new Map<string, ErasedNamespace>();
  #sessions = 0;
  #sessionItems = 0;

  addRecords(namespace: Namespace, kind: ErasedNamespace['kind'], recordCount: number): void {
    if (recordCount === 0) return;
    const key = JSON.stringify(namespace);
    const before = this.#namespaces.get(key)?.recordCount ?? 0;
    this.#namespaces.set(key, { namespace, kind, recordCount: before + recordCount });
  }

  addSession(itemCount: number): void {
    this.#sessions++;
    this.#sessionItems += itemCount;
  }

  /** The number of records and sessions. */
  get total(): number {
    return this.#records() + this.#sessions;
  }

  counts(): ErasedCounts {
    return {
      namespaces: [...this.#namespaces.values()],
      memories: this.#records('memory'),
      outboxRecords: this.#records('outbox'),
      sharedEntries: this.#records('shared'),
      sessions: this.#sessions,
      sessionItems: this.#sessionItems,
    };
  }

  #records(kind?: ErasedNamespace['kind']): number {
    const counted = [...this.#namespaces.values()].filter((one) => kind === undefined || one.kind === kind);
    return counted.reduce((sum, { recordCount }) => sum + recordCount, 0);
  }
}
