import { MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { fromBase64, quoted, sha256, toBase64 } from '@keepsake/internal';
import type { KeyRing } from './key-ring.ts';

/** A text encrypted by a {@link RingCipher}: AES-256-GCM, with keys by HKDF-SHA-256. */
export type Sealed = {
  /** The id of the key in the ring. */
  key: string;
  /** 8 bytes derived from that key, base64: distinguishes a wrong key from damage. */
  check: string;
  /** 12 bytes, base64. */
  nonce: string;
  /** The ciphertext and its tag, base64. */
  data: string;
};

/** What a cipher is for. Other purposes, other versions and other places have other keys. */
interface CipherPurpose {
  readonly purpose: 'keepsake session' | 'keepsake records';
  readonly version: number;
  /** The id of the session, or the namespace of the records. */
  readonly place: string;
  /** What is encrypted and where it belongs, for error messages, such as `['item', 'session']`. */
  readonly words: readonly [what: string, where: string];
}

interface DerivedKeys {
  readonly cipher: CryptoKey;
  readonly macs: CryptoKey;
  readonly check: string;
}

/** Encrypts with the current key of a ring, and decrypts with all of them. Derives keys on first use. */
export class RingCipher {
  readonly #ring: KeyRing;
  readonly #for: CipherPurpose;
  readonly #derived = new Map<string, Promise<DerivedKeys>>();

  constructor(ring: KeyRing, of: CipherPurpose) {
    this.#ring = ring;
    this.#for = of;
  }

  /** The ids of the keys, the current one first. */
  get keyIds(): readonly string[] {
    const { current, keys } = this.#ring;
    return [current, ...Object.keys(keys).filter((id) => id !== current)];
  }

  /** Encrypts a text. It decrypts only together with `bound`, which is not stored in it. */
  async seal(text: string, bound: string): Promise<Sealed> {
    const { cipher, check } = await this.#keys(this.#ring.current);
    // Random: a session or namespace stays far below the 2^32 texts that one key may encrypt with random nonces.
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: utf8(bound) }, cipher, utf8(text));
    return { key: this.#ring.current, check, nonce: toBase64(iv), data: toBase64(new Uint8Array(data)) };
  }

  /**
   * Decrypts a text.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if the ring has another key than the one that encrypted it, or none with its id;
   *   `CORRUPT` if authentication fails.
   */
  async open({ key, check, nonce, data }: Sealed, bound: string): Promise<string> {
    const [what, where] = this.#for.words;
    const own = await this.#keys(key);
    expect(
      check === own.check,
      `The key ${quoted(key)} is not the one that encrypted this ${where}, or the ${what} belongs to another ${where}.`,
    );
    try {
      const additionalData = utf8(bound);
      const iv = fromBase64(nonce);
      const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, own.cipher, fromBase64(data));
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
    } catch (cause) {
      const problem = `An encrypted ${what} is damaged: its key is right, but authentication failed.`;
      throw new MemoryError('CORRUPT', problem, { cause });
    }
  }

  /** The keyed hash of a text, as 64 hex digits: whoever has no key can't tell which text it is of. */
  async mac(text: string, keyId = this.#ring.current): Promise<string> {
    const { macs } = await this.#keys(keyId);
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', macs, utf8(text)));
    return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  #keys(id: string): Promise<DerivedKeys> {
    const keys = this.#derived.get(id) ?? this.#derive(id);
    this.#derived.set(id, keys);
    return keys;
  }

  async #derive(id: string): Promise<DerivedKeys> {
    const key = Object.hasOwn(this.#ring.keys, id) ? this.#ring.keys[id] : undefined;
    const [what] = this.#for.words;
    const article = /^[aeiou]/.test(what) ? 'An' : 'A';
    expect(key, `${article} ${what} was encrypted with the key ${quoted(id)}, which is not in the key ring. Add it.`);
    const raw = key as Uint8Array<ArrayBuffer>;
    const master = await crypto.subtle.importKey('raw', raw, 'HKDF', false, ['deriveBits']);
    const { purpose, version } = this.#for;
    // A digest, because Web Crypto takes at most 1,024 bytes, and a namespace can be longer.
    const place = await sha256(this.#for.place);
    const derive = async (use: string, bits: number) => {
      const info = utf8(JSON.stringify([purpose, version, use, place]));
      const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
      return new Uint8Array(await crypto.subtle.deriveBits(hkdf, master, bits));
    };
    const aes = await derive('cipher', 256);
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    return {
      cipher: await crypto.subtle.importKey('raw', aes, 'AES-GCM', false, ['encrypt', 'decrypt']),
      macs: await crypto.subtle.importKey('raw', await derive('macs', 256), hmac, false, ['sign']),
      check: toBase64(await derive('check', 64)),
    };
  }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
