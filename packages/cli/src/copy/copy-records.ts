import type { MemoryRecord, RecordInput } from '@keepsake/core';
import { nextTurn } from '@keepsake/internal';
import type { CopyJob } from './copy-job.ts';
import { recordCopies } from './record-copies.ts';
import { allRecords, type RecordPlace } from './record-places.ts';

const BATCH_PUTS = 500;
const BATCH_CHARACTERS = 1024 * 1024;

/** A record at the destination. */
interface Known {
  readonly version: number;
  readonly isClosed: boolean;
}

/** Copies the records of a namespace that the other store lacks, or has in an older version, oldest first. */
export async function copyRecords({ from, to }: RecordPlace, { signal, records, onStep }: CopyJob): Promise<void> {
  const known = new Map<string, Known>();
  for await (const { id, version, validUntil } of allRecords(to)) {
    known.set(id, { version, isClosed: validUntil !== undefined });
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
    const puts = missingPuts(withPredecessor(record, predecessors), known.get(record.id));
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
function missingPuts(record: MemoryRecord, known: Known | undefined): RecordInput[] {
  return known?.isClosed ? [] : recordCopies(record, known?.version);
}

function withPredecessor(record: MemoryRecord, predecessors: ReadonlySet<string>): MemoryRecord {
  const { supersedes, ...alone } = record;
  return supersedes === undefined || predecessors.has(supersedes) ? record : alone;
}
