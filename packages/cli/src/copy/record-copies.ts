import type { MemoryRecord, RecordInput } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';

/**
 * The puts that copy a record to another store, for `putMany`: as many as the record has had, so that both versions end in the
 * same count, which tells later whether the copy is behind. Keeps everything else but `updatedAt`. Only the last one closes it.
 * Copy a superseded record before its successor.
 *
 * @param record - As listed, with `history: true` for closed records.
 * @param known - The version that the copy has already, 0 for none.
 * @param now - The time that the remaining lifetime is measured from.
 * @returns `[]` for an expired record, and if the copy has had as many puts.
 */
export function recordCopies(record: MemoryRecord, known = 0, now = Date.now()): RecordInput[] {
  const { version, updatedAt: _, expiresAt, namespace: __, validUntil, supersededBy, ...kept } = record;
  const ttlMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - now;
  if (ttlMs !== undefined && ttlMs <= 0) return [];
  const open = ttlMs === undefined ? kept : { ...kept, ttlMs };
  const puts = Math.max(0, putCount(version) - (known === 0 ? 0 : putCount(known)));
  return Array.from({ length: puts }, (_, put) => (put === puts - 1 ? { ...open, validUntil, supersededBy } : open));
}
