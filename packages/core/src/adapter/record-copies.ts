import type { MemoryRecord, RecordInput } from '../store/record-store.ts';

/**
 * The puts that copy a record to another store, for `putMany`: as many as it has versions, because each raises `version` by
 * one. Keeps everything but `updatedAt`. Only the last one closes it. Copy a superseded record before its successor.
 *
 * @param record - As listed, with `history: true` for closed records.
 * @param known - The version that the copy has already, 0 for none.
 * @param now - The time that the remaining lifetime is measured from.
 * @returns `[]` for an expired record, and if the copy has the version.
 */
export function recordCopies(record: MemoryRecord, known = 0, now = Date.now()): RecordInput[] {
  const { version, updatedAt: _, expiresAt, namespace: __, validUntil, supersededBy, ...kept } = record;
  const ttlMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - now;
  if (ttlMs !== undefined && ttlMs <= 0) return [];
  const open = ttlMs === undefined ? kept : { ...kept, ttlMs };
  const puts = Math.max(0, version - known);
  return Array.from({ length: puts }, (_, put) => (put === puts - 1 ? { ...open, validUntil, supersededBy } : open));
}
