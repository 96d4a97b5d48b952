import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret that nobody can guess: 256 bits, safe in URLs. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that says nothing about the secret. */
export function isSameSecret(candidate: string, secret: string): boolean {
  return timingSafeEqual(digest(candidate), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
