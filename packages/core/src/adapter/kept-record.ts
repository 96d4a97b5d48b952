import { MemoryError } from '../common/errors.ts';
import { canonicalJson } from '../json/json.ts';
import type { MemoryRecord } from '../store/record-store.ts';
import { expectVersion } from '../store/store-options.ts';
import type { IdentifiedRecord, PutOptions, RemovalOptions } from './record-backend.ts';
import { validityOf } from './stored-source.ts';

/**
 * Decides about the put of each record by the one that is there: returns it if there is nothing to write. Call it where
 * nobody can write between this decision and the put.
 *
 * @throws MemoryError `CONFLICT` if `storedRecord` is of another version than `ifVersion` of the record, not the record that
 *   it `replaces`, or closed.
 */
export function keptRecord<Known extends MemoryRecord>(
  record: IdentifiedRecord,
  storedRecord: Known | undefined,
  { unlessSame = false }: PutOptions,
): Known | undefined {
  expectVersion(record.ifVersion, storedRecord?.version ?? 0);
  if (storedRecord === undefined) return undefined;
  if (record.replaces !== undefined) expectSame(record.replaces, storedRecord);
  if (validityOf(storedRecord).validUntil !== undefined) {
    throw new MemoryError(
      'CONFLICT',
      'This record is closed, and history does not change. Put a record with a new id.',
    );
  }
  const isSame =
    unlessSame && storedRecord.content === record.content && sameJson(storedRecord.metadata, record.metadata);
  return isSame ? storedRecord : undefined;
}

/**
 * Decides about the removal of a record by the one that is there. Call it where nobody can write between this decision and
 * the removal.
 *
 * @throws MemoryError `CONFLICT` if `record` is of another version than `ifVersion`, and what `check` throws.
 */
export function checkRemoval(record: MemoryRecord, { ifVersion, check }: RemovalOptions): void {
  expectVersion(ifVersion, record.version);
  check?.(record);
}

/**
 * More than an equal version: it also holds for records of stores whose versions come again.
 *
 * @throws MemoryError `CONFLICT` unless `record` is the record that was `read`.
 */
export function expectSame(read: MemoryRecord, record: MemoryRecord): void {
  const isSame =
    PLAIN_FIELDS.every((field) => read[field] === record[field]) &&
    sameJson(read.metadata, record.metadata) &&
    sameJson({ ...read.turn }, { ...record.turn }) &&
    sameJson({ ...read.source }, { ...record.source });
  if (isSame) return;
  throw new MemoryError('CONFLICT', 'The record was deleted and put again since it was read. Read it again and retry.');
}

const PLAIN_FIELDS = [
  ...(['version', 'content', 'createdAt', 'updatedAt', 'expiresAt', 'index'] as const),
  ...(['supersedes', 'supersededBy', 'validFrom', 'validUntil'] as const),
];

function sameJson(a: object, b: object): boolean {
  return canonicalJson(a, 'record') === canonicalJson(b, 'record');
}
