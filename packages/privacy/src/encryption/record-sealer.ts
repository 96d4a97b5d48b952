import {
  formatNamespace,
  type JsonObject,
  MemoryError,
  type MemoryRecord,
  type Namespace,
  type RecordInput,
  type RecordSource,
  type Turn,
} from '@keepsake/core';
import { type IdentifiedRecord, LIMITS } from '@keepsake/core/adapter';
import { isObject, quoted } from '@keepsake/internal';
import type { KeyRing } from './key-ring.ts';
import { RingCipher, type Sealed } from './ring-cipher.ts';

/** The encrypted part of a record. All else is what the store needs to keep, list and expire it. */
interface HiddenPart {
  readonly content: string;
  readonly metadata: JsonObject;
  readonly index: boolean;
  readonly turn?: Turn | undefined;
  readonly source?: RecordSource | undefined;
}

/** A record to store, with its id. */
type SealedInput = RecordInput & { readonly id: string };

/** Encrypts and decrypts the records of one namespace. Each is bound to its id, and the keys to the namespace. */
export class RecordSealer {
  readonly #cipher: RingCipher;

  constructor(ring: KeyRing, namespace: Namespace) {
    const place = formatNamespace(namespace);
    this.#cipher = new RingCipher(ring, {
      ...{ purpose: 'keepsake records', version: 1, place },
      words: ['record', 'namespace'],
    });
  }

  /** @throws MemoryError `TOO_LARGE` if the encrypted record is over the limit of a content. */
  async seal(record: IdentifiedRecord): Promise<SealedInput> {
    const { id, createdAt, ttlMs, supersedes, supersededBy, validFrom, validUntil, ...hidden } = record;
    const { content, metadata, index, turn, source } = hidden;
    const text = JSON.stringify({ content, metadata, index, turn, source } satisfies HiddenPart);
    const sealed = JSON.stringify({ encrypted: { version: 1, ...(await this.#cipher.seal(text, id)) } });
    if (new TextEncoder().encode(sealed).length > LIMITS.contentBytes) {
      throw new MemoryError(
        'TOO_LARGE',
        'An encrypted record is over 1 MiB. Its content and metadata may have 750 KiB together: split the content.',
      );
    }
    const shown = { id, createdAt, ttlMs, supersedes, supersededBy, validFrom, validUntil };
    // The index of the store could find nothing but ciphertext.
    return { ...shown, content: sealed, index: false };
  }

  /** @throws MemoryError what `RingCipher.open` throws, and `CORRUPT` for a record that is not encrypted. */
  async open(record: MemoryRecord): Promise<MemoryRecord> {
    const text = await this.#cipher.open(readSealed(record), record.id);
    const { content, metadata, index, turn, source } = JSON.parse(text) as HiddenPart;
    // Nothing that is not authenticated may pass for a part that is.
    const { turn: _turn, source: _source, ...shown } = record;
    return {
      ...shown,
      ...{ content, metadata, index: index && record.validUntil === undefined },
      ...(turn === undefined ? {} : { turn }),
      ...(source === undefined ? {} : { source }),
    };
  }

  /**
   * The ids under which a record whose id follows from its content may be stored: by the current key, then by the others.
   * Without a key, nobody can tell from them which content it is.
   */
  hiddenIds(id: string): Promise<string[]> {
    return Promise.all(this.#cipher.keyIds.map(async (keyId) => `hidden-${await this.#cipher.mac(id, keyId)}`));
  }
}

function readSealed({ id, content }: MemoryRecord): Sealed {
  const { version, key, check, nonce, data } = partsOf(content);
  if (version === 1 && [key, check, nonce, data].every((part) => typeof part === 'string')) {
    return { key, check, nonce, data } as Sealed;
  }
  throw new MemoryError('CORRUPT', `The record ${quoted(id)} is not encrypted, or has an unknown format.`);
}

function partsOf(content: string): Record<string, unknown> {
  try {
    const { encrypted } = JSON.parse(content) as { readonly encrypted?: unknown };
    return isObject(encrypted) ? encrypted : {};
  } catch {
    return {};
  }
}
