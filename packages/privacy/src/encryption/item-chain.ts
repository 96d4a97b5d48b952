import { MemoryError } from '@keepsake/core';
import type { KeyRing } from './key-ring.ts';
import { RingCipher, type Sealed } from './ring-cipher.ts';

/** An encrypted item as it is stored. */
export type SealedItem = {
  encrypted: Sealed & { version: 1; previous: string };
};

/**
 * The item that a history begins with. It has no text and no caller sees it. Without it, an empty history could not be told
 * from one whose beginning was removed, and two writers who both find an empty history would both begin it.
 */
const START = '';

/**
 * Encrypts and decrypts the items of one session. Each item authenticates the tag of the item before it, as in a chain: an
 * item can't be moved, left out or repeated without parting two that belong together. What no chain can tell is whether
 * items are missing at the end, because a pop removes them too.
 */
export class ItemChain {
  readonly #sessionId: string;
  readonly #cipher: RingCipher;

  constructor(ring: KeyRing, sessionId: string) {
    const of = { purpose: 'keepsake session', place: sessionId, words: ['item', 'session'] } as const;
    this.#sessionId = sessionId;
    this.#cipher = new RingCipher(ring, { ...of, version: 1 });
  }

  /**
   * Encrypts JSON texts.
   *
   * @param after - The stored item that they follow. Without it, they begin a history.
   */
  async seal(texts: readonly string[], after: SealedItem | undefined): Promise<SealedItem[]> {
    const sealed: SealedItem[] = [];
    let previous = after === undefined ? '' : tagOf(after);
    for (const text of after === undefined ? [START, ...texts] : texts) {
      const parts = await this.#cipher.seal(text, this.#bound(previous));
      sealed.push({ encrypted: { version: 1, previous, ...parts } });
      previous = tagOf({ encrypted: parts });
    }
    return sealed;
  }

  /**
   * Decrypts adjacent items to JSON texts, the start of a history to `undefined`.
   *
   * @param isWhole - Whether they are all items of the session, not only the newest.
   * @throws MemoryError what {@link RingCipher.open} throws, and `CORRUPT` if they are not adjacent, or not encrypted.
   */
  async open(items: readonly SealedItem[], isWhole: boolean): Promise<(string | undefined)[]> {
    const texts = await Promise.all(items.map((item) => this.#open(item)));
    checkChain(items, isWhole);
    return texts.map((text) => (text === START ? undefined : text));
  }

  /** Identifies a transaction, without telling anything about it. */
  fingerprint(transaction: string): Promise<string> {
    return this.#cipher.mac(transaction);
  }

  #open(item: SealedItem): Promise<string> {
    checkSealed(item);
    const { encrypted } = item;
    return this.#cipher.open(encrypted, this.#bound(encrypted.previous));
  }

  #bound(previous: string): string {
    return JSON.stringify([this.#sessionId, previous]);
  }
}

/** Throws `CORRUPT` unless a stored item is encrypted. */
function checkSealed(item: SealedItem): void {
  const { version, key, check, nonce, data, previous } = (item.encrypted ?? {}) as Record<string, unknown>;
  if (version === 1 && [key, check, nonce, data, previous].every((part) => typeof part === 'string')) return;
  throw new MemoryError('CORRUPT', 'This session has an item that is not encrypted or has an unknown format.');
}

/** The end of the ciphertext in base64, which contains the whole tag: unique for each encryption. */
function tagOf({ encrypted: { data } }: { readonly encrypted: Pick<Sealed, 'data'> }): string {
  return data.slice(-24);
}

function checkChain(items: readonly SealedItem[], isWhole: boolean): void {
  const tags = items.map(tagOf);
  items.forEach(({ encrypted }, index) => {
    const before = items[index - 1];
    if (before === undefined && !isWhole) return;
    const { previous } = encrypted;
    if (previous === (before === undefined ? '' : tagOf(before))) return;
    if (tags.indexOf(tags[index] as string) < index) throw broken(index, 'is repeated');
    throw broken(index, tags.includes(previous) ? 'is out of order' : 'follows items that are missing');
  });
}

function broken(index: number, what: string): MemoryError {
  return new MemoryError(
    'CORRUPT',
    `The encrypted items of this session were changed in storage: item ${index} of those read ${what}. ` +
      'Restore a backup, read the newest items with a limit, or clear the session.',
  );
}
