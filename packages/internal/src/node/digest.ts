import { createHash } from 'node:crypto';

/** The first `length` hex digits of the SHA-256 of a text's UTF-8: 4 bits each, so take 32 or more to tell texts apart. */
export function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
