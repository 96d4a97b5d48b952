import { createHash } from 'node:crypto';
import type { MemoryRecord } from '@keepsake/core';
import { canonicalJson, putCount } from '@keepsake/core/adapter';

/**
 * A digest of what a copy of a record keeps. Without its expiry, which moves by the duration of the copy, and without
 * `supersedes`, which is lost with the predecessor; a predecessor that exists names its successor.
 */
export function recordDigest(record: MemoryRecord): string {
  const { updatedAt: _, expiresAt, namespace: __, supersedes: ___, version, ...kept } = record;
  return digestOf({ ...kept, puts: putCount(version), expires: expiresAt !== undefined });
}

export function itemsDigest(items: readonly object[]): string {
  return digestOf(items);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value, 'value')).digest('hex');
}

/** A digest of a set of digests, whatever their order. */
export class SetDigest {
  readonly #bytes = Buffer.alloc(32);

  /** @param name - Tells equal values of the set apart. */
  add(name: string, digest: string): void {
    const one = createHash('sha256').update(`${name}\n${digest}`).digest();
    for (const [index, byte] of one.entries()) this.#bytes[index] = (this.#bytes[index] as number) ^ byte;
  }

  get hex(): string {
    return this.#bytes.toString('hex');
  }
}
