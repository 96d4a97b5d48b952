import { type JsonObject, MemoryError } from '@keepsake/core';
import { canonicalJson } from '@keepsake/core/adapter';
import { ReferenceSession } from '../reference.ts';
import { type Mutant, type Mutants, type TransactionArgs, transacting } from './mutant.ts';

/** Replaces a suffix with a wrong check. */
function matching(matches: (items: readonly string[], suffix: readonly string[]) => boolean): Mutant {
  return class extends ReferenceSession {
    override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
      const { transaction } = args;
      if (transaction?.type !== 'replace_suffix') return super.applyHistoryTransaction(args);
      const suffix = this.encode(transaction.expectedSuffix);
      const { items } = await this.read();
      if (!matches(items, suffix)) throw new MemoryError('CONFLICT', 'The history has another end.');
      const count = Math.min(suffix.length, items.length);
      const expectedSuffix = items.slice(items.length - count).map((text) => this.decode(text));
      await super.applyHistoryTransaction({ ...args, transaction: { ...transaction, expectedSuffix } });
    }
  };
}

/** Remembers operations in a wrong way: it compares `digest`, and stores it under `key`. */
export function remembering(
  digest: (args: TransactionArgs) => string,
  key: (args: TransactionArgs, session: ReferenceSession) => string,
  memory: { keep?: number; beforehand?: boolean } = {},
): Mutant {
  const known = new Map<string, string>();
  return class extends ReferenceSession {
    override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
      const [id, text] = [key(args, this), digest(args)];
      const before = known.get(id);
      if (before === text) return;
      if (before !== undefined) throw new MemoryError('CONFLICT', 'The id was used for something else.');
      if (memory.beforehand) known.set(id, text);
      await super.applyHistoryTransaction({ ...args, operationId: crypto.randomUUID() });
      known.set(id, text);
      if (known.size > (memory.keep ?? Infinity)) known.delete([...known.keys()][0] as string);
    }
  };
}

const canonical = ({ transaction }: TransactionArgs) => canonicalJson(transaction, 'transaction');
const ownId = ({ operationId }: TransactionArgs, session: ReferenceSession) =>
  `${session.constructor.name} ${operationId}`;
const instances = new WeakMap<ReferenceSession, string>();

/** Remembers operations per instance. */
const remembersAlone = remembering(canonical, ({ operationId }, session) => {
  const name = instances.get(session) ?? crypto.randomUUID();
  instances.set(session, name);
  return `${name} ${operationId}`;
});

/** Remembers only as many operations as there are items, however new they are. */
const remembersAsManyAsItems = class extends ReferenceSession {
  override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
    await super.applyHistoryTransaction(args);
    await this.change(({ items, operations }) => ({ operations: new Map([...operations].slice(-items.length)) }));
  }
};

const forgets = transacting((args) => ({ ...args, operationId: crypto.randomUUID() }));
const replacesBlindly = matching(() => true);
const sameTexts = (items: readonly string[], suffix: readonly string[]) =>
  items.length >= suffix.length && suffix.every((text, index) => text === items[items.length - suffix.length + index]);

/** Repairs an invalid transaction instead of refusing it. */
const repairing = (repair: (transaction: Record<string, unknown>) => object) =>
  transacting((args) => ({
    ...args,
    transaction: repair(
      (args.transaction ?? {}) as unknown as Record<string, unknown>,
    ) as TransactionArgs['transaction'],
  }));

const replacing = (
  change: (transaction: Extract<TransactionArgs['transaction'], { type: 'replace_suffix' }>) => object,
) =>
  transacting((args) =>
    args.transaction.type === 'replace_suffix'
      ? { ...args, transaction: { ...args.transaction, ...change(args.transaction) } }
      : args,
  );

export const transactionMutants: Mutants = {
  'a plain Session has none of the methods of a DurableSession': ReferenceSession,
  'append_items appends the items in order': transacting((args) =>
    args.transaction.type === 'append_items'
      ? { ...args, transaction: { type: 'append_items', items: args.transaction.items.toReversed() } }
      : args,
  ),
  'operations with different ids are each applied, even with equal items': transacting((args) => ({
    ...args,
    operationId: canonical(args),
  })),
  'replace_suffix replaces the end of the history': [
    replacing(() => ({ expectedSuffix: [] })),
    replacing(() => ({ replacement: [] })),
  ],
  'replace_suffix without a replacement removes the end': replacing(({ replacement }) =>
    replacement.length === 0 ? { expectedSuffix: [] } : {},
  ),
  'replace_suffix of no items appends': class extends ReferenceSession {
    override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
      const { transaction } = args;
      if (transaction.type === 'append_items' || transaction.expectedSuffix.length > 0) return;
      await this.replaceHistoryWithCompaction(transaction.replacement);
    }
  },
  'replace_suffix can replace the whole history': matching((items, suffix) => items.length > suffix.length),
  'replace_suffix compares items, not batches': class extends ReferenceSession {
    #batch = 0;

    override async addItems(items: JsonObject[]): Promise<void> {
      this.#batch = items.length;
      await super.addItems(items);
    }

    override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
      const { transaction } = args;
      if (transaction.type === 'replace_suffix' && transaction.expectedSuffix.length > this.#batch) {
        throw new MemoryError('CONFLICT', 'The last batch is another one.');
      }
      await super.applyHistoryTransaction(args);
    }
  },
  'replace_suffix of equal items replaces only as many as it names': class extends ReferenceSession {
    override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
      if (args.transaction.type === 'replace_suffix') {
        const [suffix] = this.encode(args.transaction.expectedSuffix);
        await this.change(({ items }) => ({ items: [...items.filter((item) => item !== suffix), suffix as string] }));
      }
      await super.applyHistoryTransaction(args);
    }
  },
  'a suffix that the history does not end with is a conflict': replacesBlindly,
  'a suffix that matches only at its end is a conflict': matching((items, suffix) => items.at(-1) === suffix.at(-1)),
  'a suffix that matches only at its start is a conflict': matching(
    (items, suffix) => items.at(-suffix.length) === suffix[0],
  ),
  'a suffix in the middle of the history is a conflict': matching((items, suffix) =>
    items.join().includes(suffix.join()),
  ),
  'a suffix in another order is a conflict': matching((items, suffix) =>
    sameTexts(items.slice(-suffix.length).toSorted(), suffix.toSorted()),
  ),
  'a suffix longer than the history is a conflict': matching((items, suffix) =>
    sameTexts(items, suffix.slice(-items.length)),
  ),
  'a suffix of an empty session is a conflict': matching((items) => items.length === 0),
  'an operation id that ended in a suffix conflict is not used up': remembering(canonical, ownId, {
    beforehand: true,
  }),
  'a transaction of an unknown kind is refused': [
    repairing((transaction) => ({ items: [], ...transaction, type: 'append_items' })),
    repairing((transaction) => ({ type: 'append_items', items: [], ...transaction })),
  ],
  'a transaction without its lists is refused': [
    repairing(({ type, ...lists }) =>
      type === 'append_items' ? { type, items: [], ...lists } : { type, expectedSuffix: [], replacement: [], ...lists },
    ),
    repairing((transaction) => ({
      ...transaction,
      ...(transaction.items ? { items: [transaction.items].flat() } : {}),
    })),
  ],
  'an operation id that is blank, too long or not a valid string is refused': [
    transacting((args) => ({ ...args, operationId: JSON.stringify(String(args.operationId)).slice(0, 99) })),
    transacting((args) => ({ ...args, operationId: args.operationId || 'none' })),
    transacting((args) => ({ ...args, operationId: args.operationId === ' ' ? 'blank' : args.operationId })),
  ],
  'an operation id that was refused with its transaction is not used up': remembering(() => '', ownId, {
    beforehand: true,
  }),
};

export const operationMutants: Mutants = {
  'the same operation again does nothing': forgets,
  'the same operation again does nothing, even after other changes': remembering(canonical, ownId, { keep: 1 }),
  'the same replacement again does nothing, though its suffix is gone': matching(sameTexts),
  'the same operation through another instance does nothing': remembersAlone,
  'a fingerprint identifies an operation instead of its items': transacting(({ fingerprint, ...args }) => args),
  'operations are equal regardless of the order of fields': remembering(
    (args) => JSON.stringify(args.transaction),
    ownId,
  ),
  'operations are equal even if one has an undefined field': remembering(
    (args) => JSON.stringify(args.transaction, (_, value: unknown) => value ?? null),
    ownId,
  ),
  'a suffix is compared as JSON: the order of fields and undefined fields make no difference': matching(sameTexts),
  'a suffix is compared exactly: null, numbers, strings and lists differ': [
    matching((items, [suffix]) => items.at(-1)?.replaceAll(/[^\w]/g, '') === suffix?.replaceAll(/[^\w]/g, '')),
    matching((items, [suffix]) => [...(items.at(-1) ?? '')].sort().join() === [...(suffix ?? '')].sort().join()),
    matching((items, [suffix]) => items.at(-1)?.replace(/,"c":null/, '') === suffix?.replace(/,"c":null/, '')),
  ],
  'an operation id with other items is a conflict, and changes nothing': [
    remembering(() => 'the same', ownId),
    remembering(
      ({ transaction }) => (transaction.type === 'append_items' && transaction.items[0] ? 'items' : ''),
      ownId,
    ),
  ],
  'an operation id with another kind of transaction is a conflict': remembering(
    ({ transaction }) =>
      JSON.stringify(transaction.type === 'append_items' ? transaction.items : transaction.replacement),
    ownId,
  ),
  'an operation id with another suffix is a conflict, also where that suffix matches': remembering(
    ({ transaction }) => JSON.stringify({ ...transaction, expectedSuffix: [] }),
    ownId,
  ),
  'operation ids belong to their session': remembering(canonical, ownId),
  'operation ids are literal and compared exactly': [
    transacting((args) => ({ ...args, operationId: args.operationId.toLowerCase() })),
    transacting((args) => ({ ...args, operationId: args.operationId.normalize() })),
    transacting((args) => ({ ...args, operationId: args.operationId in {} ? 'object' : args.operationId })),
    transacting((args) => ({ ...args, operationId: args.operationId.trim() })),
    transacting((args) => ({ ...args, operationId: args.operationId.slice(0, 255) })),
  ],
  'mutations, compaction and pops leave operation ids known': class extends ReferenceSession {
    override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
      await this.clearSession();
      await this.addItems(items);
    }
  },
  'an operation id is known after 1,050 others and a compaction': [
    remembering(canonical, ownId, { keep: 1_000 }),
    remembersAsManyAsItems,
  ],
};
