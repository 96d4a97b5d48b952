import type { MemoryRecord, RecordInput } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { nextTurn } from '@keepsake/internal';
import type { CopyJob } from './copy-job.ts';
import { allRecords, type RecordPlace } from './record-places.ts';

const BATCH_PUTS = 500;
const BATCH_CHARACTERS = 1024 * 1024;

/** A record at the destination. */
interface ExistingCopy {
  readonly version: number;
  readonly isClosed: boolean;
}

/** Copies the records of a namespace that the other store lacks, or has in an older version, oldest first. */
export async function copyRecords({ from, to }: RecordPlace, { signal, records, onStep }: CopyJob): Promise<void> {
  const copies = new Map<string, ExistingCopy>();
  for await (const { id, version, validUntil } of allRecords(to)) {
    copies.set(id, { version, isClosed: validUntil !== undefined });
  }
  /** The ids of records that others superseded. A record can only supersede one that is still there. */
  const predecessors = new Set<string>();
  let batch: RecordInput[] = [];
  let characters = 0;
  let waiting = 0;

  async function flush(): Promise<void> {
    if (batch.length > 0) await to.putMany(batch);
    records.copied += waiting;
    [batch, characters, waiting] = [[], 0, 0];
    onStep();
    await nextTurn();
    signal.throwIfAborted();
  }

  for await (const record of allRecords(from)) {
    if (record.supersededBy !== undefined) predecessors.add(record.id);
    const puts = missingPuts(withPredecessor(record, predecessors), copies.get(record.id));
    if (puts.length === 0) records.alreadyThere++;
    else waiting++;
    for (const put of puts) {
      batch.push(put);
      characters += put.content.length;
      if (batch.length >= BATCH_PUTS || characters >= BATCH_CHARACTERS) await flush();
    }
  }
  await flush();
}

/** A closed record at the destination does not change. */
function missingPuts(record: MemoryRecord, copy: ExistingCopy | undefined): RecordInput[] {
  return copy?.isClosed ? [] : recordCopies(record, copy?.version);
}

function withPredecessor(record: MemoryRecord, predecessors: ReadonlySet<string>): MemoryRecord {
  const { supersedes, ...alone } = record;
  return supersedes === undefined || predecessors.has(supersedes) ? record : alone;
}

/**
 * The puts that copy a record to another store, for `putMany`: as many as the record has had, so that both versions end in the
 * same count, which tells later whether the copy is behind. Keeps everything else but `updatedAt`. Only the last one closes it.
 * Copy a superseded record before its successor.
 *
 * @param record - As listed, with `history: true` for closed records.
 * @param knownVersion - The version that the copy has already, 0 for none.
 * @param now - The time that the remaining lifetime is measured from.
 * @returns `[]` for an expired record, and if the copy has had as many puts.
 */
export function recordCopies(record: MemoryRecord, knownVersion = 0, now = Date.now()): RecordInput[] {
  const { version, updatedAt: _, expiresAt, namespace: __, validUntil, supersededBy, ...kept } = record;
  const ttlMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - now;
  if (ttlMs !== undefined && ttlMs <= 0) return [];
  const open = ttlMs === undefined ? kept : { ...kept, ttlMs };
  const puts = Math.max(0, putCount(version) - (knownVersion === 0 ? 0 : putCount(knownVersion)));
  return Array.from({ length: puts }, (_, put) => (put === puts - 1 ? { ...open, validUntil, supersededBy } : open));
}
