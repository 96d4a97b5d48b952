import type { MemoryRecord, RecordInput } from '../store/record-store.ts';

/** The fields of a record that stay when a put changes its text: all but its id and content. It expires when it would have. */
export function keptFields(record: MemoryRecord): Omit<RecordInput, 'content'> {
  const { metadata, index, turn, source, expiresAt } = record;
  const ttlMs = expiresAt === undefined ? undefined : Math.max(1, Date.parse(expiresAt) - Date.now());
  return { metadata, index, turn, source, ttlMs };
}
