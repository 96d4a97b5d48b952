import type { MemoryRecord } from '../store/record-store.ts';
import { firstVersion } from '../store/record-version.ts';
import type { IdentifiedRecord } from './record-backend.ts';
import { revisedSource } from './stored-source.ts';

/**
 * Returns what a put stores: a new record, or the next version of the record that was there `before`.
 *
 * @param first - The version of a new record. Pass the same one if the put is decided several times.
 */
export function revisedRecord(
  input: IdentifiedRecord,
  before: Pick<MemoryRecord, 'version' | 'createdAt' | 'source'> | undefined,
  now: Date,
  first = firstVersion(),
): MemoryRecord {
  const { id, content, metadata, createdAt, ttlMs, turn, index } = input;
  const source = revisedSource(input.source, before?.source);
  const time = now.toISOString();
  const created = before?.createdAt ?? createdAt ?? time;
  // Clocks go back, and the caller may name a time in the future.
  const isAhead = created > time;
  return {
    id,
    content,
    metadata,
    version: before === undefined ? first : before.version + 1,
    createdAt: created,
    updatedAt: isAhead ? created : time,
    ...(ttlMs === undefined ? {} : { expiresAt: new Date(now.getTime() + ttlMs).toISOString() }),
    ...(turn === undefined ? {} : { turn }),
    ...(source === undefined ? {} : { source }),
    index,
  };
}
