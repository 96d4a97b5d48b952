import { MemoryError } from '../common/errors.ts';
import { canonicalJson, type JsonObject } from '../json/json.ts';
import type { MemoryRecord } from '../store/record-store.ts';
import { expectVersion } from '../store/store-options.ts';
import type { IdentifiedRecord, PutOptions, RemovalOptions } from './record-backend.ts';
import { validityOf } from './stored-source.ts';

/**
 * Decides about the put of each record by the one that is there: returns it if there is nothing to write. Call it where
 * nobody can write between this decision and the put.
 *
 * @throws MemoryError `CONFLICT` if `known` is of another version than `ifVersion` of the record, or closed.
 */
export function keptRecord<Known extends Pick<MemoryRecord, 'content' | 'metadata' | 'version' | 'source'>>(
  record: IdentifiedRecord,
  known: Known | undefined,
  { unlessSame = false }: PutOptions,
): Known | undefined {
  expectVersion(record.ifVersion, known?.version ?? 0);
  if (known === undefined) return undefined;
  if (validityOf(known).validUntil !== undefined) {
    throw new MemoryError(
      'CONFLICT',
      'This record is closed, and history does not change. Put a record with a new id.',
    );
  }
  const isSame = unlessSame && known.content === record.content && sameMetadata(known.metadata, record.metadata);
  return isSame ? known : undefined;
}

/**
 * Decides about the removal of a record by the one that is there. Call it where nobody can write between this decision and
 * the removal.
 *
 * @throws MemoryError `CONFLICT` if `known` is of another version than `ifVersion`, and what `check` throws.
 */
export function checkRemoval(known: MemoryRecord, { ifVersion, check }: RemovalOptions): void {
  expectVersion(ifVersion, known.version);
  check?.(known);
}

function sameMetadata(a: JsonObject, b: JsonObject): boolean {
  return canonicalJson(a, 'metadata') === canonicalJson(b, 'metadata');
}
