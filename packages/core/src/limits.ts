/** What may be stored, in bytes of UTF-8; the same for every backend. Over it: `TOO_LARGE`, before anything is written. */
export const LIMITS = {
  /** The content of a record. */
  contentBytes: 1024 * 1024,
  /** The metadata of a record, as JSON. */
  metadataBytes: 64 * 1024,
  /** One item of a session, as JSON. */
  itemBytes: 16 * 1024 * 1024,
  /** How many operation ids a session remembers. */
  operationIds: 1_000,
} as const;

/** Whether a text takes more than `limit` bytes as UTF-8. A lone surrogate counts as 3. */
export function isLongerThan(text: string, limit: number): boolean {
  // A UTF-16 code unit takes at most 3 bytes, so most texts need no counting.
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}
