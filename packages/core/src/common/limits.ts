/**
 * The limits of all backends, sizes in bytes of UTF-8. Anything larger is refused with `TOO_LARGE` before anything is
 * written.
 */
export const LIMITS = {
  /** The content of a record. */
  contentBytes: 1024 * 1024,
  /** The metadata of a record, as JSON. */
  metadataBytes: 64 * 1024,
  /** The records of one `putMany`, which most backends write in one step that others wait for. */
  batchRecords: 10_000,
  /** Their contents. */
  batchBytes: 128 * 1024 * 1024,
  /** One item of a session, as JSON. */
  itemBytes: 16 * 1024 * 1024,
} as const;

/** The maximum lifetime of a session or a record in milliseconds: 1,000 years. */
export const MAX_TTL_MS = 1_000 * 365 * 24 * 60 * 60 * 1_000;

/** Whether a text takes more than `limit` bytes as UTF-8. A lone surrogate counts as 3. */
export function isLongerThan(text: string, limit: number): boolean {
  return areLongerThan([text], limit);
}

/** The same for several texts together. */
export function areLongerThan(texts: readonly string[], limit: number): boolean {
  // A UTF-16 code unit takes 1 to 3 bytes, so most texts need no counting.
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (units > limit || units * 3 <= limit) return units > limit;
  return texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0) > limit;
}
