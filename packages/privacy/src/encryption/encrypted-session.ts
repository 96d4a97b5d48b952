import {
  type DurableSession,
  isMemoryError,
  MemoryError,
  type SessionHistoryOperation,
  type SessionHistoryTransaction,
} from '@keepsake/core';
import {
  AbstractSession,
  type AskedHistory,
  type DecideEdit,
  type HistoryEdit,
  type SessionBackend,
  uuidv7,
} from '@keepsake/core/adapter';
import { ItemChain, type SealedItem } from './item-chain.ts';
import { copyKeyRing, type KeyRing } from './key-ring.ts';

/** How often a transaction is refused at the same end of the history before its id must be the reason. */
const REFUSALS_OF_USED_ID = 3;

/** The same for a new id: the newest item is one that the session does not show, such as a damaged one. */
const REFUSALS_OF_NEW_ID = 100;

type SealedTransaction = SessionHistoryTransaction<SealedItem>;

/** See `encrypted`. */
export class EncryptedSession<Item extends object> extends AbstractSession<Item> {
  readonly #session: DurableSession<SealedItem>;

  constructor(session: DurableSession<SealedItem>, ring: KeyRing) {
    const keys = copyKeyRing(ring);
    const { applyHistoryTransaction, replaceHistoryWithCompaction } = session ?? {};
    // Sessions of the OpenAI Agents SDK have only the first. They accept no items other than those of the SDK.
    if (![applyHistoryTransaction, replaceHistoryWithCompaction].every((method) => typeof method === 'function')) {
      throw new MemoryError(
        'UNSUPPORTED',
        'encrypted() needs a session of a Keepsake adapter, such as FileSession. Others cannot store ciphertext as an item.',
      );
    }
    // Only the session itself knows its id, which may change when it is cleared.
    super('encrypted', new SealedHistory(session, keys));
    this.#session = session;
  }

  override getSessionId(): Promise<string> {
    return this.#session.getSessionId();
  }
}

/**
 * An encrypted history in a session.
 *
 * An item is chained to the one before it, so a change must know the end of the history at the moment it is made. The only way
 * to compare and change a session atomically is `replace_suffix`. So an append replaces the newest item with itself and the new
 * ones, and tries again if another writer was faster. A retried transaction then has other ciphertext than before, which is
 * why a fingerprint of its plaintext identifies it.
 */
class SealedHistory implements SessionBackend {
  readonly #session: DurableSession<SealedItem>;
  readonly #ring: KeyRing;
  #chain: Promise<ItemChain> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: DurableSession<SealedItem>, ring: KeyRing) {
    this.#session = session;
    this.#ring = ring;
  }

  async newest(limit: number): Promise<string[]> {
    return (await this.#read(limit, limit)).texts;
  }

  append(items: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#changeEnd({ items: 0 }, () => ({ drop: 0, append: items })));
  }

  change(asked: AskedHistory, decide: DecideEdit): Promise<void> {
    const { items, operation, onlyDamaged } = asked;
    // A compaction or a clear. The session knows whether it exists, and whether it has damaged items.
    const isWhole = onlyDamaged || (items === 0 && operation === undefined);
    return this.#inTurn(() =>
      isWhole ? this.#changeAll(decide({ exists: true, items: [] })) : this.#changeEnd(asked, decide),
    );
  }

  async #changeAll({ append, forgetOperations }: HistoryEdit = { drop: 0, append: [] }): Promise<void> {
    if (forgetOperations) return this.#session.clearSession();
    const sealed = append.length === 0 ? [] : await (await this.#getChain()).seal(append, undefined);
    await this.#session.replaceHistoryWithCompaction(sealed);
  }

  async #changeEnd({ items: count, operation }: AskedHistory, decide: DecideEdit): Promise<void> {
    const chain = await this.#getChain();
    const id = operation
      ? { operationId: operation.operationId, fingerprint: await chain.fingerprint(operation.digest) }
      : { operationId: uuidv7() };
    const apply = (transaction: SealedTransaction) => this.#session.applyHistoryTransaction({ ...id, transaction });
    let end: SealedItem | undefined;
    for (let refusals = 0; ; ) {
      // One more: only the item before it shows that the first of them is in its place.
      const { stored, texts } = await this.#read(count + 1, count);
      let edit: HistoryEdit | undefined;
      try {
        edit = decide({ exists: true, items: texts });
      } catch (error) {
        if (operation === undefined || !isMemoryError(error, 'CONFLICT')) throw error;
        // The session knows whether the history has another end because this was applied before. If not, it refuses it.
        return apply(await impossible(chain));
      }
      if (edit === undefined) return;
      const { drop, append } = edit;
      if (drop + append.length === 0) return apply({ type: 'append_items', items: [] });
      const newest = stored.at(-1);
      if (newest === undefined) {
        await this.#begin(chain);
        continue;
      }
      const cut = stored.length - drop;
      const from = Math.min(cut, stored.length - 1);
      const sealed = append.length === 0 ? [] : await chain.seal(append, stored[cut - 1]);
      try {
        return await apply({
          type: 'replace_suffix',
          expectedSuffix: stored.slice(from),
          replacement: [...stored.slice(from, cut), ...sealed],
        });
      } catch (error) {
        // Another writer has changed the end, or the id was used for another transaction: then the end stays as it is.
        refusals = newest.encrypted.nonce === end?.encrypted.nonce ? refusals + 1 : 1;
        end = newest;
        const most = operation === undefined ? REFUSALS_OF_NEW_ID : REFUSALS_OF_USED_ID;
        if (refusals === most || !isMemoryError(error, 'CONFLICT')) throw error;
      }
    }
  }

  /** Reads the newest items, and decrypts the texts of the newest `count` of them. */
  async #read(limit: number, count: number): Promise<{ stored: SealedItem[]; texts: string[] }> {
    const stored = await this.#session.getItems(limit === Infinity ? undefined : limit);
    const opened = await (await this.#getChain()).open(stored, stored.length < limit);
    const texts = opened.filter((text) => text !== undefined);
    return { stored, texts: texts.slice(Math.max(0, texts.length - count)) };
  }

  /** Writes the start of a history, unless another writer is faster. */
  async #begin(chain: ItemChain): Promise<void> {
    const transaction = { type: 'append_items', items: await chain.seal([], undefined) } as const;
    // Of the writers under one id, only the first succeeds. An id can be used up by an earlier life of the history.
    for (let life = 0; (await this.#session.getItems(1)).length === 0; life++) {
      const operation: SessionHistoryOperation<SealedItem> = { operationId: `encrypted-start-${life}`, transaction };
      try {
        return await this.#session.applyHistoryTransaction(operation);
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
      }
    }
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
  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** A transaction that no history fits: it expects an item that nobody has stored. */
async function impossible(chain: ItemChain): Promise<SealedTransaction> {
  return { type: 'replace_suffix', expectedSuffix: await chain.seal([], undefined), replacement: [] };
}
