import { fromBase64, toBase64 } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';
import { readCursor, writeCursor } from '../store/page.ts';

const NONCE_BYTES = 12;
const POSITION_BYTES = 8;

/**
 * Encrypts the positions in cursors. For backends that number the entries of all namespaces, or of all users, in one
 * sequence: such a number tells how much others have written.
 */
export class CursorSeal {
  readonly #key: Promise<CryptoKey>;

  /**
   * @param secret - Hard to guess, and the same in all processes that share the data. Cursors of another secret are
   *   refused.
   */
  constructor(secret: string) {
    this.#key = importKey(secret);
    // The call that needs the key reports the failure.
    this.#key.catch(() => undefined);
  }

  /**
   * Encodes the end of a page as a cursor. All cursors have the same length.
   *
   * @param scope - What is listed, such as a namespace. The cursor is valid for no other scope.
   */
  async write(kind: string, scope: readonly string[], position: number): Promise<string> {
    const plain = new DataView(new ArrayBuffer(POSITION_BYTES));
    plain.setFloat64(0, position);
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(parameters(nonce, kind, scope), await this.#key, plain);
    const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength);
    bytes.set(nonce);
    bytes.set(new Uint8Array(sealed), NONCE_BYTES);
    return writeCursor(kind, [toBase64(bytes)]);
  }

  /**
   * Reads a cursor of {@link write}; `undefined` without a cursor.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for any other cursor, including one that was changed.
   */
  async read(cursor: string | undefined, kind: string, scope: readonly string[]): Promise<number | undefined> {
    const [text] = readCursor(cursor, kind, ['string']) ?? [];
    if (text === undefined) return undefined;
    const key = await this.#key;
    try {
      const bytes = fromBase64(String(text));
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const plain = await crypto.subtle.decrypt(parameters(nonce, kind, scope), key, bytes.subarray(NONCE_BYTES));
      return new DataView(plain).getFloat64(0);
    } catch (cause) {
      const problem = 'This cursor is not from this list, or was changed. Start without a cursor.';
      throw new MemoryError('INVALID_ARGUMENT', problem, { cause });
    }
  }
}

function parameters(iv: BufferSource, kind: string, scope: readonly string[]): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(JSON.stringify([kind, ...scope])) };
}

async function importKey(secret: string): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`keepsake cursors ${secret}`));
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
