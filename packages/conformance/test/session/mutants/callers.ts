import { type JsonObject, MemoryError } from '@keepsake/core';
import { encodeItems } from '@keepsake/core/adapter';
import { PartwiseSession, type ReferenceBackend, ReferenceSession, SmallSession, type State } from '../reference.ts';
import {
  cachesReads,
  checksTooEarly,
  compactsInTwoSteps,
  losesUpdates,
  type Mutant,
  type Mutants,
  pause,
  prepends,
  type TransactionArgs,
  writesOneByOne,
} from './mutant.ts';

/** Reads the newest item, and removes it in a second step. */
const popsInTwoSteps: Mutant = class extends ReferenceSession {
  override async popItem(): Promise<JsonObject | undefined> {
    const [newest] = await this.getItems(1);
    await super.popItem();
    return newest;
  }
};

/** Replaces a suffix item by item. */
const replacesInSteps: Mutant = class extends ReferenceSession {
  override async applyHistoryTransaction({ transaction }: TransactionArgs): Promise<void> {
    if (transaction.type === 'append_items') return;
    for (const _ of transaction.expectedSuffix) await super.popItem();
    for (const item of transaction.replacement) await super.addItems([item]);
  }
};

/** Creates the session in a separate step, even if another caller is creating it. */
const makesTwice: Mutant = class extends ReferenceSession {
  protected override async change(update: (state: State) => Partial<State> | undefined): Promise<void> {
    const before = await this.read();
    await super.change((state) => update(before.items.length === 0 ? before : state));
  }
};

/** Fails while it connects. */
const connectsOnce: Mutant = class extends ReferenceSession {
  #connection: 'none' | 'opening' | 'open' = 'none';

  protected override async change(update: (state: State) => Partial<State> | undefined): Promise<void> {
    if (this.#connection === 'opening') throw new MemoryError('BACKEND', 'The connection is already being opened.');
    if (this.#connection === 'none') {
      this.#connection = 'opening';
      await pause();
      this.#connection = 'open';
    }
    await super.change(update);
  }
};

/** The session of the current call, in state that all sessions share. */
const buffers = new WeakMap<ReferenceBackend, string>();
const mixesSessions: Mutant = class extends ReferenceSession {
  override async addItems(items: JsonObject[]): Promise<void> {
    buffers.set(this.backend, this.id);
    await super.addItems(items);
  }

  protected override key(): string {
    return buffers.get(this.backend) ?? this.id;
  }
};

export const concurrencyMutants: Mutants = {
  'concurrent batches are each stored once, whole and in order': [losesUpdates, writesOneByOne],
  'single items added concurrently through many instances are each stored once': losesUpdates,
  'each of several writers finds its batches in the order that it wrote them': [losesUpdates, prepends],
  'sessions written concurrently do not mix': mixesSessions,
  'reads during appends see whole batches, and each read is a prefix of the next': [writesOneByOne, prepends],
  'large concurrent batches stay whole, up to the promised size, also in reads': [losesUpdates, PartwiseSession],
  'reads during a compaction see the old history or the new one': compactsInTwoSteps,
  'reads during the replacement of a suffix see the old end or the new one': replacesInSteps,
  'of many concurrent pops, each returns another item, and none is lost': popsInTwoSteps,
  'pops during appends lose nothing and return nothing twice': [popsInTwoSteps, losesUpdates],
  'clearing during appends leaves only whole batches': writesOneByOne,
  '32 instances can use a session for the first time concurrently': [makesTwice, losesUpdates],
  '32 callers can use a new instance for the first time concurrently': connectsOnce,
};

export const concurrentChangeMutants: Mutants = {
  'an operation sent 100 times concurrently is applied once, and other content is a conflict': checksTooEarly,
  'of two concurrent contents under one operation id, one is applied, and the other is always a conflict':
    checksTooEarly,
  'different concurrent operations are each applied once': [losesUpdates, checksTooEarly],
  'of many concurrent replacements of a suffix, one wins, and the others get a conflict': checksTooEarly,
  'mutations during appends lose no append': losesUpdates,
  'concurrent mutations of different calls are all applied': losesUpdates,
  'compaction during appends splits no batch and writes none twice': [compactsInTwoSteps, writesOneByOne],
  'concurrent compactions leave one of them, whole': compactsInTwoSteps,
};

/** Reads from a replica that is one change behind, which only other readers notice. */
const readsFromReplica: Mutant = class extends ReferenceSession {
  protected override async read(): Promise<State> {
    const current = await super.read();
    const replicas = replicaOf(this.backend);
    const behind = replicas.get(this.key()) ?? current;
    replicas.set(this.key(), current);
    return behind;
  }
};

const replicaStates = new WeakMap<ReferenceBackend, Map<string, State>>();

function replicaOf(backend: ReferenceBackend): Map<string, State> {
  const known = replicaStates.get(backend) ?? new Map<string, State>();
  replicaStates.set(backend, known);
  return known;
}

/** Confirms an append before it is made. */
const confirmsTooEarly: Mutant = class extends ReferenceSession {
  override async addItems(items: JsonObject[]): Promise<void> {
    void pause(1).then(() => super.addItems(items));
  }
};

/** Forgets operations that other callers applied at the same time. */
const forgetsOperations: Mutant = class extends ReferenceSession {
  override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
    await super.applyHistoryTransaction(args);
    await this.change(({ operations }) => ({ operations: new Map([...operations].slice(-1)) }));
  }
};

/** Clears what was there when the call began, item by item. */
const clearsInSteps: Mutant = class extends ReferenceSession {
  override async clearSession(): Promise<void> {
    for (const _ of await this.getItems()) await super.popItem();
    await this.change(() => ({ operations: new Map() }));
  }
};

export const linearizabilityMutants: Mutants = {
  'the results of concurrent callers are those of some order of their calls': [
    losesUpdates,
    writesOneByOne,
    prepends,
    cachesReads,
    popsInTwoSteps,
    replacesInSteps,
    makesTwice,
    checksTooEarly,
    readsFromReplica,
    confirmsTooEarly,
    forgetsOperations,
    clearsInSteps,
  ],
};

/** Measures the size of items in a wrong way. */
function measuring(tooLarge: (items: readonly object[]) => boolean, error?: MemoryError): Mutant {
  return class extends ReferenceSession {
    protected override encode(items: readonly object[], what?: string): string[] {
      if (!tooLarge(items)) return items.map((item) => JSON.stringify(item));
      if (error !== undefined) throw error;
      return encodeItems(items, what);
    }
  };
}

const refusal = new MemoryError('TOO_LARGE', 'It is too large to store.');
const lengths = (items: readonly object[]) => items.map((item) => JSON.stringify(item).length);
const mebibyte = 1024 * 1024;

export const limitMutants: Mutants = {
  'an item of exactly 16 MiB comes back': [
    measuring((items) => lengths(items).some((length) => length >= 16 * mebibyte), refusal),
    class extends ReferenceSession {
      protected override decode(text: string): JsonObject {
        const { text: content, ...item } = super.decode(text);
        return { ...item, ...(typeof content === 'string' ? { text: content.slice(0, 16_000_000) } : {}) };
      }
    },
  ],
  'an item of 5 MiB comes back between others, and pops': measuring(
    (items) => lengths(items).some((length) => length > mebibyte),
    refusal,
  ),
  'an item over 16 MiB is too large, and nothing of its batch is written': [measuring(() => false), writesOneByOne],
  'where items are smaller, the largest comes back, and nothing of a batch with one twice as large is written': [
    measuring(() => false),
    measuring((items) => lengths(items).some((length) => length >= mebibyte), refusal),
    class extends SmallSession {
      override async addItems(items: JsonObject[]): Promise<void> {
        for (const item of items) await super.addItems([item]);
      }
    },
  ],
  'the size of an item is counted in bytes, not in characters': measuring((items) =>
    lengths(items).some((length) => length > 16 * mebibyte),
  ),
  'transactions, mutations and compaction refuse what is too large, and change nothing': [
    measuring(() => false),
    class extends ReferenceSession {
      override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
        const items = args.transaction.type === 'append_items' ? args.transaction.items : [];
        await super.addItems(items.slice(0, 1));
        await super.applyHistoryTransaction(args);
      }
    },
  ],
  'the limit applies to an item; a batch can be larger': measuring(
    (items) => lengths(items).reduce((sum, length) => sum + length, 0) > 16 * mebibyte,
    refusal,
  ),
  'a batch of 10,000 items comes back whole and in order': class extends ReferenceSession {
    override addItems(items: JsonObject[]): Promise<void> {
      return super.addItems(items.slice(0, 5_000));
    }
  },
  'a transaction of 2,000 items is applied completely': class extends ReferenceSession {
    override applyHistoryTransaction({ operationId, transaction }: TransactionArgs): Promise<void> {
      const cut =
        transaction.type === 'append_items'
          ? transaction
          : { ...transaction, replacement: transaction.replacement.slice(0, 1_000) };
      return super.applyHistoryTransaction({ operationId, transaction: cut });
    }
  },
};
