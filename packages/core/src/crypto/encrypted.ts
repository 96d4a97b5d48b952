import { expectKnownFields, type FieldNames } from '../common/check-fields.ts';
import { MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { uuidv7 } from '../common/uuid.ts';
import type { JsonObject } from '../json/json.ts';
import { unlessConflict } from '../session/conflict.ts';
import { encodeTransaction, prepareMutations, replaceFunctionCalls } from '../session/history.ts';
import type { DurableSession, SessionHistoryMutation, SessionHistoryTransaction } from '../session/session.ts';
import { encodeItems, sameItems } from '../session/session-items.ts';
import { type ItemCipher, itemCipher, type SealedItem } from './item-cipher.ts';

/** The keys of {@link encrypted}. Old keys stay in the ring to decrypt older items. */
export interface KeyRing {
  /** The id of the key for new items. */
  readonly current: string;
  /** Keys of 32 random bytes by id. Ids are stored in plaintext. */
  readonly keys: Readonly<Record<string, Uint8Array>>;
}

/**
 * Wraps a session and encrypts its items, with all its capabilities.
 *
 * AES-256-GCM with one key per session (HKDF-SHA-256), bound to the session's id: an item that was moved to another session
 * is refused. Object fields come back sorted. Encryption is deterministic, which retried transactions need: equal items of a
 * session are equal when encrypted. The content of items is hidden, but not their number, lengths and equality. Each pop and
 * each effective mutation uses one of the 1,000 operation ids that the wrapped session remembers.
 *
 * @throws MemoryError on use: `INVALID_ARGUMENT` if the ring has another key than the one used for encryption, or none with
 *   its id; `CORRUPT` for a damaged item, or plaintext among encrypted items. Nothing is removed then.
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
    // A copy, because zeroing a buffer after use or changing the ring must not affect this session (slice() of a Node Buffer does not copy).
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
    // Decrypts first, then removes exactly that item: a pop with a wrong key must remove nothing.
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

  /** Replaces the end of the history. Returns false if it has changed in the meantime. */
  #swapSuffix(expectedSuffix: SealedItem[], replacement: SealedItem[]): Promise<boolean> {
    const transaction = { type: 'replace_suffix', expectedSuffix, replacement } as const;
    return unlessConflict(this.#session.applyHistoryTransaction({ operationId: uuidv7(), transaction }));
  }

  /**
   * Encrypts an expected suffix. If it was encrypted with an older key, re-encrypts the stored items first, because a retry
   * must produce exactly the same transaction.
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
        // Not cached, so that the next call tries again.
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

const KEY_RING: FieldNames<KeyRing> = { current: true, keys: true };

function checkRing(ring: KeyRing): void {
  const keys = Object.entries(ring?.keys ?? {});
  expect(
    keys.every(([, key]) => key instanceof Uint8Array && key.length === 32),
    'Each key must be 32 random bytes, such as crypto.getRandomValues(new Uint8Array(32)).',
  );
  expect(
    keys.some(([id]) => id === ring.current),
    'The key ring has no key with the id in `current`.',
  );
  expectKnownFields(ring, KEY_RING);
}
