import type { SessionStore } from '@keepsake/core';
import type { Comparison } from './copy-job.ts';
import { bothEnds } from './copy-sessions.ts';
import { itemsDigest, recordDigest, type SetDigest } from './digests.ts';
import { readAhead } from './read-ahead.ts';
import { allRecords, type RecordPlace } from './record-places.ts';

/** Two ends of a lifetime that are this close are the same, because it is measured again by each store. */
const LIFETIME_TOLERANCE_MS = 60_000;

/** Compares the records of a namespace with their copies, all read again, and adds those that are the same to a digest. */
export async function compareRecords(
  { from, to, name }: RecordPlace,
  comparison: Comparison,
  same: SetDigest,
): Promise<void> {
  const copies = new Map<string, { readonly digest: string; readonly expiresAt: string | undefined }>();
  for await (const record of allRecords(to)) {
    copies.set(record.id, { digest: recordDigest(record), expiresAt: record.expiresAt });
  }
  for await (const record of allRecords(from)) {
    const [digest, copy] = [recordDigest(record), copies.get(record.id)];
    if (copy?.digest === digest && isNear(copy.expiresAt, record.expiresAt)) {
      comparison.records++;
      same.add(`${name}\n${record.id}`, digest);
    } else if (record.expiresAt === undefined || Date.parse(record.expiresAt) > Date.now() + LIFETIME_TOLERANCE_MS) {
      comparison.differences.push(`memory ${record.id} of ${name === '' ? 'the root namespace' : name}`);
    }
  }
}

/** Compares the items of all sessions. */
export async function compareSessions(
  from: SessionStore,
  to: SessionStore,
  comparison: Comparison,
  same: SetDigest,
): Promise<void> {
  for await (const { id, items, copiedItems } of readAhead(bothEnds(from, to))) {
    const digest = itemsDigest(items);
    if (digest === itemsDigest(copiedItems)) {
      comparison.sessions++;
      comparison.items += items.length;
      same.add(`session ${id}`, digest);
    } else {
      comparison.differences.push(`session ${id}`);
    }
  }
}

function isNear(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(Date.parse(one) - Date.parse(other)) <= LIFETIME_TOLERANCE_MS;
}
