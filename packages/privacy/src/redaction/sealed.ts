import type { JsonObject } from '@keepsake/core';

/**
 * Whether an object is what `encrypted` makes of a text: a nonce of 12 bytes and a ciphertext, both in base64. In millions of
 * random letters, some look like a token by chance.
 */
export function isSealed({ key, check, nonce, data }: JsonObject): boolean {
  if (typeof key !== 'string' || typeof check !== 'string') return false;
  return (
    typeof nonce === 'string' && /^[\w+/]{16}$/.test(nonce) && typeof data === 'string' && /^[\w+/]+=*$/.test(data)
  );
}
