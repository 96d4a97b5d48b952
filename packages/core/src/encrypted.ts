import { unlessConflict } from './conflict.ts';
import { MemoryError } from './errors.ts';
import { expect } from './expect.ts';
import { encodeTransaction, prepareMutations, replaceFunctionCalls } from './history.ts';
import { type ItemCipher, itemCipher, type SealedItem } from './item-cipher.ts';
import type { JsonObject } from './json.ts';
import type { DurableSession, SessionHistoryMutation, SessionHistoryTransaction } from './session.ts';
import { encodeItems, sameItems } from './session-items.ts';
import { uuidv7 } from './uuid.ts';

/** The keys of {@link encrypted}. Old keys stay in the ring, so that what they encrypted can be read. */
export interface KeyRing {
  /** The id of the key that encrypts what is new. */
  readonly current: string;
  /** 32 random bytes a key, by id. Ids are stored in clear. */
  readonly keys: Readonly<Record<string, Uint8Array>>;
}

/**
 * A session whose items are encrypted before they reach the session that it wraps, with every capability of it.
 *
 * AES-256-GCM with a key of its own for each session (HKDF-SHA-256), bound to the session's id: an item that is moved
 * to another session is refused. Items come back with the fields of their objects sorted. Encryption is deterministic,
 * as retrying transactions needs: equal items of one session are equal when encrypted too. Hidden is what items say;
 * how many there are, their lengths, and which are equal is not. Each pop, and each mutation that changes something,
 * takes one of the 1,000 operation ids that the wrapped session remembers.
 *
 * @throws MemoryError on use: `INVALID_ARGUMENT` when the ring's key is another than the one that encrypted, or lacks
 *   its id; `CORRUPT` for a damaged item, or for plaintext among encrypted items. Nothing is removed then.
 */
export function encrypted<Item extends object = JsonObject>(
  session: DurableSession<Item>,
  ring: KeyRing,
): DurableSession<Item> {
  return new EncryptedSession<Item>(session as unknown as DurableSession<SealedItem>, ring);
}

class EncryptedSession<Item extends object> implements DurableSession<Item> {
  readonly #session: DurableSession<SealedItem>;
  readonly #ring: KeyRing;
  #cipher: Promise<ItemCipher> | undefined;

  constructor(session: DurableSession<SealedItem>, ring: KeyRing) {
    if (typeof session?.applyHistoryTransaction !== 'function') {
      throw new MemoryError('UNSUPPORTED', 'encrypted() needs a session of a Keepsake adapter, with transactions.');
    }
    checkRing(ring);
    this.#session = session;
    // A copy, which slice() of a Node Buffer is not: zeroing a buffer after use, or changing the ring, must not change
    // this session.
    this.#ring = {
      current: ring.current,
      keys: Object.fromEntries(Object.entries(ring.keys).map(([id, key]) => [id, Uint8Array.from(key)])),
    };
  }

  getSessionId(): Promise<string> {
    return this.#session.getSessionId();
  }

  async getItems(limit?: number): Promise<Item[]> {
    return (await this.#open(await this.#session.getItems(limit))).map(parse<Item>);
  }

  async addItems(items: Item[]): Promise<void> {
    await this.#session.addItems(await this.#seal(encodeItems(items)));
  }

  async popItem(): Promise<Item | undefined> {
    // Decrypt first, then remove just that item: a pop under a wrong key must remove nothing.
    for (;;) {
      const newest = await this.#session.getItems(1);
      const [text] = await this.#open(newest);
      if (text === undefined) return undefined;
      if (await this.#swapSuffix(newest, [])) return parse<Item>(text);
    }
  }

  clearSession(): Promise<void> {
    return this.#session.clearSession();
  }

  async applyHistoryTransaction(args: {
    operationId: string;
    transaction: SessionHistoryTransaction<Item>;
  }): Promise<void> {
    const { operationId, transaction } = args;
    const encoded = encodeTransaction(transaction);
    const { type } = transaction;
    const items = await this.#seal(encoded.items);
    const sealed =
      type === 'append_items'
        ? { type, items }
        : { type, expectedSuffix: await this.#sealSuffix(encoded.expectedSuffix), replacement: items };
    return this.#session.applyHistoryTransaction({ operationId, transaction: sealed });
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args.mutations);
    for (;;) {
      const sealed = await this.#session.getItems();
      const before = await this.#open(sealed);
      const after = replaceFunctionCalls(before, mutations);
      const changed = before.findIndex((item, index) => item !== after[index]);
      if (changed === -1) return;
      if (await this.#swapSuffix(sealed.slice(changed), await this.#seal(after.slice(changed)))) return;
    }
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    await this.#session.replaceHistoryWithCompaction(await this.#seal(encodeItems(items)));
  }

  /** Swaps the end of the history for something else; false when somebody changed it meanwhile. */
  #swapSuffix(expectedSuffix: SealedItem[], replacement: SealedItem[]): Promise<boolean> {
    const transaction = { type: 'replace_suffix', expectedSuffix, replacement } as const;
    return unlessConflict(this.#session.applyHistoryTransaction({ operationId: uuidv7(), transaction }));
  }

  /**
   * Seals an expected suffix. Where an older key of the ring has sealed it, it is sealed anew first: a retry, which finds
   * something else at its place, has to give the very same transaction.
   */
  async #sealSuffix(items: readonly string[]): Promise<SealedItem[]> {
    const sealed = await this.#seal(items);
    for (;;) {
      const stored = await this.#session.getItems(items.length);
      const isOurs = sameItems(await this.#open(stored), items);
      if (!isOurs || stored.every((item) => item.encrypted.key === this.#ring.current)) return sealed;
      if (await this.#swapSuffix(stored, sealed)) return sealed;
    }
  }

  async #seal(items: readonly string[]): Promise<SealedItem[]> {
    const cipher = await this.#getCipher();
    return Promise.all(items.map((item) => cipher.seal(item)));
  }

  async #open(items: readonly SealedItem[]): Promise<string[]> {
    const cipher = await this.#getCipher();
    return Promise.all(items.map((item) => cipher.open(item)));
  }

  #getCipher(): Promise<ItemCipher> {
    this.#cipher ??= this.#session.getSessionId().then(
      (sessionId) => itemCipher(this.#ring, sessionId),
      (error) => {
        // Not for good: the next call asks again.
        this.#cipher = undefined;
        throw error;
      },
    );
    return this.#cipher;
  }
}

function parse<Item>(text: string): Item {
  return JSON.parse(text) as Item;
}

function checkRing(ring: KeyRing): void {
  const keys = Object.entries(ring?.keys ?? {});
  expect(
    keys.every(([, key]) => key instanceof Uint8Array && key.length === 32),
    'Each key is to be 32 random bytes, such as crypto.getRandomValues(new Uint8Array(32)).',
  );
  expect(
    keys.some(([id]) => id === ring.current),
    'The key ring has no key of the id that `current` names.',
  );
}
