import {
  type DurableSession,
  isMemoryError,
  MemoryError,
  type SessionHistoryMutation,
  type SessionHistoryOperation,
  type SessionHistoryTransaction,
} from '@keepsake/core';
import {
  encodeItems,
  encodeTransaction,
  itemLimit,
  prepareMutations,
  replaceFunctionCalls,
  sameItems,
  transactionText,
  unlessConflict,
  uuidv7,
} from '@keepsake/core/adapter';
import { ItemChain, type SealedItem } from './item-chain.ts';
import { copyKeyRing, type KeyRing } from './key-ring.ts';

/** How often a transaction is refused at the same end of the history before its id must be the reason. */
const REFUSALS_OF_USED_ID = 3;

/** The same for a new id: the newest item is one that the session does not show, such as a damaged one. */
const REFUSALS_OF_NEW_ID = 100;

/** A transaction with its items as JSON texts. */
interface Change {
  readonly operationId: string;
  /** Missing for changes that nobody repeats under the same id. */
  readonly fingerprint?: string;
  readonly expectedSuffix: readonly string[];
  readonly items: readonly string[];
}

type SealedTransaction = SessionHistoryTransaction<SealedItem>;

/**
 * See `encrypted`.
 *
 * An item is chained to the one before it, so a change must know the end of the history at the moment it is made. The only way
 * to compare and change a session atomically is `replace_suffix`. So an append replaces the newest item with itself and the new
 * ones, and tries again if another writer was faster. A retried transaction then has other ciphertext than before, which is
 * why a fingerprint of its plaintext identifies it.
 */
export class EncryptedSession<Item extends object> implements DurableSession<Item> {
  readonly #session: DurableSession<SealedItem>;
  readonly #ring: KeyRing;
  #chain: Promise<ItemChain> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: DurableSession<SealedItem>, ring: KeyRing) {
    this.#ring = copyKeyRing(ring);
    const { applyHistoryTransaction, replaceHistoryWithCompaction } = session ?? {};
    // Sessions of the OpenAI Agents SDK have only the first. They accept no items other than those of the SDK.
    if (![applyHistoryTransaction, replaceHistoryWithCompaction].every((method) => typeof method === 'function')) {
      throw new MemoryError(
        'UNSUPPORTED',
        'encrypted() needs a session of a Keepsake adapter, such as FileSession. Others cannot store ciphertext as an item.',
      );
    }
    this.#session = session;
  }

  getSessionId(): Promise<string> {
    return this.#session.getSessionId();
  }

  async getItems(limit?: number): Promise<Item[]> {
    const stored = await this.#session.getItems(limit);
    const texts = await this.#open(stored, stored.length < (itemLimit(limit) ?? Infinity));
    return texts.filter((text) => text !== undefined).map((text) => JSON.parse(text) as Item);
  }

  async addItems(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (encoded.length === 0) return;
    await this.#inTurn(() => this.#change({ operationId: uuidv7(), expectedSuffix: [], items: encoded }));
  }

  async popItem(): Promise<Item | undefined> {
    return this.#inTurn(async () => {
      // Decrypts first, then removes exactly that item: a pop with a wrong key must remove nothing.
      for (;;) {
        // Two, because only the one before it shows that the newest is in its place.
        const newest = await this.#session.getItems(2);
        const text = (await this.#open(newest, newest.length < 2)).at(-1);
        if (text === undefined) return undefined;
        if (await this.#swapSuffix(newest.slice(-1), [])) return JSON.parse(text) as Item;
      }
    });
  }

  async clearSession(): Promise<void> {
    await this.#inTurn(() => this.#session.clearSession());
  }

  async applyHistoryTransaction(args: SessionHistoryOperation<Item>): Promise<void> {
    const { type, fingerprint: given, ...change } = encodeTransaction(args);
    const chain = await this.#getChain();
    const fingerprint = await chain.fingerprint(given ?? transactionText({ type, ...change }));
    await this.#inTurn(() => this.#change({ fingerprint, ...change }));
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args);
    await this.#inTurn(async () => {
      for (;;) {
        const stored = await this.#session.getItems();
        const before = (await this.#open(stored, true)).map((text) => text ?? '');
        const after = replaceFunctionCalls(before, mutations);
        const changed = before.findIndex((item, index) => item !== after[index]);
        if (changed === -1) return;
        // All items after the changed one too, because each is chained to the one before it.
        const replacement = await this.#seal(after.slice(changed), stored[changed - 1]);
        if (await this.#swapSuffix(stored.slice(changed), replacement)) return;
      }
    });
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    await this.#inTurn(async () => {
      const sealed = encoded.length === 0 ? [] : await this.#seal(encoded, undefined);
      await this.#session.replaceHistoryWithCompaction(sealed);
    });
  }

  async #change({ expectedSuffix, items, ...operation }: Change): Promise<void> {
    const apply = (transaction: SealedTransaction) =>
      this.#session.applyHistoryTransaction({ ...operation, transaction });
    if (expectedSuffix.length === 0 && items.length === 0) return apply({ type: 'append_items', items: [] });
    let end: SealedItem | undefined;
    for (let refusals = 0; ; ) {
      const stored = await this.#session.getItems(expectedSuffix.length + 1);
      if (stored.length === 0 && expectedSuffix.length === 0) {
        await this.#begin();
        continue;
      }
      const transaction = await this.#sealChange(stored, expectedSuffix, items);
      // The session knows whether the history has another end because this was applied before. If not, it refuses it.
      if (transaction === undefined) return apply(await this.#impossible());
      try {
        return await apply(transaction);
      } catch (error) {
        // Another writer has changed the end, or the id was used for another transaction: then the end stays as it is.
        const newest = stored.at(-1) as SealedItem;
        refusals = newest.encrypted.nonce === end?.encrypted.nonce ? refusals + 1 : 1;
        end = newest;
        const most = operation.fingerprint === undefined ? REFUSALS_OF_NEW_ID : REFUSALS_OF_USED_ID;
        if (refusals === most || !isMemoryError(error, 'CONFLICT')) throw error;
      }
    }
  }

  /** The transaction for a history that ends with `stored`; `undefined` if that is not the expected suffix. */
  async #sealChange(
    stored: readonly SealedItem[],
    expected: readonly string[],
    items: readonly string[],
  ): Promise<SealedTransaction | undefined> {
    const texts = await this.#open(stored, stored.length <= expected.length);
    const type = 'replace_suffix';
    if (expected.length === 0) {
      return {
        type,
        expectedSuffix: [...stored],
        replacement: [...stored, ...(await this.#seal(items, stored.at(-1)))],
      };
    }
    const suffix = texts.slice(-expected.length).map((text) => text ?? '');
    if (!suffix.every(Boolean) || !sameItems(suffix, expected)) return undefined;
    const replacement = items.length === 0 ? [] : await this.#seal(items, stored.at(-expected.length - 1));
    return { type, expectedSuffix: stored.slice(-expected.length), replacement };
  }

  /** A transaction that no history fits: it expects an item that nobody has stored. */
  async #impossible(): Promise<SealedTransaction> {
    return { type: 'replace_suffix', expectedSuffix: await this.#seal([], undefined), replacement: [] };
  }

  /** Writes the start of a history, unless another writer is faster. */
  async #begin(): Promise<void> {
    const transaction = { type: 'append_items', items: await this.#seal([], undefined) } as const;
    // Of the writers under one id, only the first succeeds. An id can be used up by an earlier life of the history.
    for (let life = 0; (await this.#session.getItems(1)).length === 0; life++) {
      const operationId = `encrypted-start-${life}`;
      if (await unlessConflict(this.#session.applyHistoryTransaction({ operationId, transaction }))) return;
    }
  }

  /** Replaces the end of the history. Returns false if it has changed in the meantime. */
  #swapSuffix(expectedSuffix: SealedItem[], replacement: SealedItem[]): Promise<boolean> {
    const transaction = { type: 'replace_suffix', expectedSuffix, replacement } as const;
    return unlessConflict(this.#session.applyHistoryTransaction({ operationId: uuidv7(), transaction }));
  }

  async #seal(items: readonly string[], after: SealedItem | undefined): Promise<SealedItem[]> {
    return (await this.#getChain()).seal(items, after);
  }

  async #open(items: readonly SealedItem[], isWhole: boolean): Promise<(string | undefined)[]> {
    return (await this.#getChain()).open(items, isWhole);
  }

  #getChain(): Promise<ItemChain> {
    this.#chain ??= this.#session.getSessionId().then(
      (sessionId) => new ItemChain(this.#ring, sessionId),
      (error) => {
        // Not cached, so that the next call tries again.
        this.#chain = undefined;
        throw error;
      },
    );
    return this.#chain;
  }

  /** Makes the changes of this object one after the other: at once, all but one of them would have to try again. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
