/**
 * The size limits of all backends, in bytes of UTF-8. Anything larger is refused with `TOO_LARGE` before anything is
 * written.
 */
export const LIMITS = {
  /** The content of a record. */
  contentBytes: 1024 * 1024,
  /** The metadata of a record, as JSON. */
  metadataBytes: 64 * 1024,
  /** One item of a session, as JSON. */
  itemBytes: 16 * 1024 * 1024,
} as const;

/** The maximum lifetime of a session or a record in milliseconds: 1,000 years. */
export const MAX_TTL_MS = 1_000 * 365 * 24 * 60 * 60 * 1_000;

/** Whether a text takes more than `limit` bytes as UTF-8. A lone surrogate counts as 3. */
export function isLongerThan(text: string, limit: number): boolean {
  // A UTF-16 code unit takes 1 to 3 bytes, so most texts need no counting.
  if (text.length > limit) return true;
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}
