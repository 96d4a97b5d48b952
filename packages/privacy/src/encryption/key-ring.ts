import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';

/** The keys of `encrypted`. Old keys stay in the ring to decrypt what they encrypted. */
export interface KeyRing {
  /** The id of the key that encrypts from now on. */
  readonly current: string;
  /** Keys of 32 random bytes by id. Ids are stored in plaintext. */
  readonly keys: Readonly<Record<string, Uint8Array>>;
}

const KEY_RING: FieldNames<KeyRing> = { current: true, keys: true };

const GENERATE = 'crypto.getRandomValues(new Uint8Array(32))';

/** Random keys have about 30 different bytes, and fewer than this once in 2^111. */
const LEAST_BYTES = 8;

/**
 * Checks a key ring and returns a copy: zeroing a buffer after use or changing the ring must not affect what uses it.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a key that is missing, not 32 bytes, or not random.
 */
export function copyKeyRing(ring: KeyRing): KeyRing {
  const keys = Object.entries(ring?.keys ?? {});
  for (const [, key] of keys) checkKey(key);
  expect(
    keys.some(([id]) => id === ring.current),
    'The key ring has no key with the id in `current`.',
  );
  expectKnownFields(ring, KEY_RING);
  // slice() of a Node Buffer does not copy.
  return { current: ring.current, keys: Object.fromEntries(keys.map(([id, key]) => [id, Uint8Array.from(key)])) };
}

function checkKey(key: unknown): void {
  expect(key instanceof Uint8Array && key.length === 32, `Each key must be 32 random bytes, such as ${GENERATE}.`);
  expect(
    new Set(key).size >= LEAST_BYTES,
    `A key repeats the same few bytes, so it can be guessed. Generate it with ${GENERATE}.`,
  );
  expect(
    key.some((byte, index) => index > 0 && Math.abs(byte - (key[index - 1] ?? 0)) !== 1),
    `A key counts its bytes up or down, so it can be guessed. Generate it with ${GENERATE}.`,
  );
  // 32 hex digits are only 16 random bytes, and a password is less. Random bytes are all printable once in 2^45.
  expect(
    key.some((byte) => byte < 0x20 || byte > 0x7e),
    `A key is text, so it can be guessed more easily. Decode it if it is hex or base64, or generate it with ${GENERATE}.`,
  );
}
