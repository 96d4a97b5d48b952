import type { JsonObject, SessionHistoryOperation } from '@keepsake/core';
import { ReferenceSession, type State } from '../reference.ts';

/** A session that breaks a promise. */
export type Mutant = typeof ReferenceSession;

/** The mutants that a case must detect, by its title. */
export type Mutants = Readonly<Record<string, Mutant | readonly Mutant[]>>;

export type TransactionArgs = SessionHistoryOperation;

/* Faults that several concerns share. */

export function pause(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Reads a state, waits, and writes it back, so concurrent changes are lost. */
export const losesUpdates: Mutant = class extends ReferenceSession {
  protected override async change(update: (state: State) => Partial<State> | undefined): Promise<void> {
    const before = await this.read();
    const changed = update(before);
    await this.backend.wait();
    if (changed !== undefined) this.backend.set(this.key(), this.id, { ...before, ...changed });
  }
};

/** Writes the items of a batch one after the other. */
export const writesOneByOne: Mutant = class extends ReferenceSession {
  override async addItems(items: JsonObject[]): Promise<void> {
    for (const item of items) await super.addItems([item]);
  }
};

/** Caches its first read, and updates the cache only after its own writes. */
export const cachesReads: Mutant = class extends ReferenceSession {
  #cache: State | undefined;

  protected override async read(): Promise<State> {
    this.#cache ??= await super.read();
    return this.#cache;
  }

  protected override async change(update: (state: State) => Partial<State> | undefined): Promise<void> {
    await super.change(update);
    if (this.#cache !== undefined) this.#cache = await super.read();
  }
};

/** Adds new items at the beginning. */
export const prepends: Mutant = class extends ReferenceSession {
  override async addItems(items: JsonObject[]): Promise<void> {
    const added = this.encode(items);
    await this.change((state) => (added.length === 0 ? undefined : { items: [...added, ...state.items] }));
  }
};

/** Empties the history, and fills it in a second step. */
export const compactsInTwoSteps: Mutant = class extends ReferenceSession {
  override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
    const texts = this.encode(items);
    await this.change(() => ({ items: [] }));
    for (const text of texts) await this.change((state) => ({ items: [...state.items, text] }));
  }
};

/** Checks a transaction, and applies it in a second step. */
export const checksTooEarly: Mutant = class extends ReferenceSession {
  override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
    const checked = new TrialSession(this.backend, this.id);
    await checked.applyHistoryTransaction(args);
    const { transaction, operationId } = args;
    if (checked.outcome === undefined) return;
    const dropped = transaction.type === 'append_items' ? 0 : transaction.expectedSuffix.length;
    const items = this.encode(transaction.type === 'append_items' ? transaction.items : transaction.replacement);
    const operations = checked.outcome.operations ?? new Map();
    await this.change((state) => ({
      items: [...state.items.slice(0, state.items.length - dropped), ...items],
      operations: new Map([...state.operations, [operationId, operations.get(operationId) as string]]),
    }));
  }
};

/** Computes a change without applying it. */
class TrialSession extends ReferenceSession {
  outcome: Partial<State> | undefined;

  protected override async change(update: (state: State) => Partial<State> | undefined): Promise<void> {
    this.outcome = update(await this.read());
  }
}

/** Misinterprets the limit of a read. */
export function limiting(take: (limit: number | undefined) => number | undefined): Mutant {
  return class extends ReferenceSession {
    protected override limit(limit: number | undefined): number | undefined {
      return take(limit);
    }
  };
}

/** Returns other items than those stored. */
export function reading(take: (items: readonly string[], count: number | undefined) => readonly string[]): Mutant {
  return class extends ReferenceSession {
    override async getItems(limit?: number): Promise<JsonObject[]> {
      const count = this.limit(limit);
      const { items } = await this.read();
      return take(items, count).map((text) => this.decode(text));
    }
  };
}

/** Appends in a wrong way. */
export function appending(change: (items: readonly string[], added: readonly string[]) => readonly string[]): Mutant {
  return class extends ReferenceSession {
    override async addItems(items: JsonObject[]): Promise<void> {
      const added = this.encode(items);
      await this.change((state) => ({ items: change(state.items, added) }));
    }
  };
}

/** Leaves a wrong history after a pop. */
export function popping(change: (items: readonly string[]) => readonly string[]): Mutant {
  return class extends ReferenceSession {
    override async popItem(): Promise<JsonObject | undefined> {
      let popped: string | undefined;
      await this.change(({ items }) => {
        popped = items.at(-1);
        return popped === undefined ? undefined : { items: change(items) };
      });
      return popped === undefined ? undefined : this.decode(popped);
    }
  };
}

/** Clears in a wrong way. */
export function clearing(change: (state: State) => Partial<State> | undefined): Mutant {
  return class extends ReferenceSession {
    override clearSession(): Promise<void> {
      return this.change(change);
    }
  };
}

/** Applies another transaction than the given one. */
export function transacting(other: (args: TransactionArgs) => TransactionArgs): Mutant {
  return class extends ReferenceSession {
    override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
      await super.applyHistoryTransaction(other(args));
    }
  };
}

/** Stores sessions under a key that is not unique. */
export function keyed(key: (id: string) => string): Mutant {
  return class extends ReferenceSession {
    protected override key(): string {
      return key(this.id);
    }
  };
}

/** Decodes items in a wrong way. */
export function decoding(decode: (text: string) => JsonObject): Mutant {
  return class extends ReferenceSession {
    protected override decode(text: string): JsonObject {
      return decode(text);
    }
  };
}
