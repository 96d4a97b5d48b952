import { MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { quoted } from '../common/text.ts';
import { fromBase64, toBase64 } from '../json/base64.ts';
import { canonicalItem } from '../session/session-items.ts';

/** An encrypted item as it is stored. */
export type SealedItem = {
  encrypted: {
    /** The format: AES-256-GCM, keys by HKDF-SHA-256, nonce by HMAC-SHA-256 of the text. */
    version: 1;
    /** The id of the key in the ring. */
    key: string;
    /** 8 bytes derived from that key, base64: distinguishes a wrong key from a damaged item. */
    check: string;
    /** 12 bytes, base64. */
    nonce: string;
    /** The ciphertext and its tag, base64. */
    data: string;
  };
};

/** Encrypts and decrypts the items of one session. */
export interface ItemCipher {
  /** @param item - JSON text. Equal JSON gives equal results. */
  seal(item: string): Promise<SealedItem>;
  /** Returns the JSON text. Throws `CORRUPT` or `INVALID_ARGUMENT`, see `encrypted`. */
  open(sealed: SealedItem): Promise<string>;
}

interface SessionKey {
  readonly cipher: CryptoKey;
  readonly nonces: CryptoKey;
  readonly check: string;
}

/** Creates the cipher of one session. Derives keys on first use. */
export function itemCipher(
  ring: { readonly current: string; readonly keys: Readonly<Record<string, Uint8Array>> },
  sessionId: string,
): ItemCipher {
  const additionalData = new TextEncoder().encode(sessionId);
  const derived = new Map<string, Promise<SessionKey>>();
  function sessionKey(id: string): Promise<SessionKey> {
    const known = derived.get(id) ?? deriveSessionKey(ringKey(ring.keys, id), sessionId);
    derived.set(id, known);
    return known;
  }
  return {
    async seal(item) {
      const { cipher, nonces, check } = await sessionKey(ring.current);
      const text = new TextEncoder().encode(canonicalItem(item));
      // A nonce derived from the text repeats only for the same text, as GCM requires.
      const nonce = new Uint8Array(await crypto.subtle.sign('HMAC', nonces, text)).slice(0, 12);
      const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData }, cipher, text);
      return {
        encrypted: {
          version: 1,
          key: ring.current,
          check,
          nonce: toBase64(nonce),
          data: toBase64(new Uint8Array(data)),
        },
      };
    },
    async open(sealed) {
      const { key, check, nonce, data } = checkSealed(sealed);
      const own = await sessionKey(key);
      expect(
        check === own.check,
        `The key ${quoted(key)} is not the one that encrypted this session, or the item belongs to another session.`,
      );
      try {
        const text = await crypto.subtle.decrypt(
          { name: 'AES-GCM', iv: fromBase64(nonce), additionalData },
          own.cipher,
          fromBase64(data),
        );
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
      } catch (cause) {
        const problem = 'An encrypted item is damaged: its key is right, but authentication failed.';
        throw new MemoryError('CORRUPT', problem, { cause });
      }
    },
  };
}

function ringKey(keys: Readonly<Record<string, Uint8Array>>, id: string): Uint8Array {
  const key = Object.hasOwn(keys, id) ? keys[id] : undefined;
  expect(key, `An item was encrypted with the key ${quoted(id)}, which is not in the key ring. Add it.`);
  return key;
}

function checkSealed(sealed: SealedItem): SealedItem['encrypted'] {
  const { version, key, check, nonce, data } = sealed.encrypted ?? {};
  if ([key, check, nonce, data].every((part) => typeof part === 'string') && version === 1) return sealed.encrypted;
  throw new MemoryError('CORRUPT', 'This session has an item that is not encrypted or has an unknown format.');
}

async function deriveSessionKey(key: Uint8Array, sessionId: string): Promise<SessionKey> {
  const master = await crypto.subtle.importKey('raw', key as Uint8Array<ArrayBuffer>, 'HKDF', false, ['deriveBits']);
  const derive = async (purpose: string, bits: number) => {
    const info = new TextEncoder().encode(JSON.stringify(['keepsake session', 1, purpose, sessionId]));
    return new Uint8Array(
      await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }, master, bits),
    );
  };
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  return {
    cipher: await crypto.subtle.importKey('raw', await derive('cipher', 256), 'AES-GCM', false, ['encrypt', 'decrypt']),
    nonces: await crypto.subtle.importKey('raw', await derive('nonces', 256), hmac, false, ['sign']),
    check: toBase64(await derive('check', 64)),
  };
}
