import { canonicalJson, type JsonObject } from '../json/json.ts';
import type { PreparedRecord } from '../store/record-input.ts';
import type { MemoryRecord } from '../store/record-store.ts';
import { expectVersion } from '../store/store-options.ts';
import type { PutOptions } from './record-backend.ts';

/**
 * Decides about a put by the record that is there: returns it if there is nothing to write. Call it where nobody can write
 * between this decision and the put.
 *
 * @throws MemoryError `CONFLICT` if `known` is of another version than `ifVersion`.
 */
export function keptRecord<Known extends Pick<MemoryRecord, 'content' | 'metadata' | 'version'>>(
  record: PreparedRecord,
  known: Known | undefined,
  { ifVersion, unlessSame = false }: PutOptions,
): Known | undefined {
  expectVersion(ifVersion, known?.version ?? 0);
  return unlessSame && known?.content === record.content && sameMetadata(known.metadata, record.metadata)
    ? known
    : undefined;
}

function sameMetadata(a: JsonObject, b: JsonObject): boolean {
  return canonicalJson(a, 'metadata') === canonicalJson(b, 'metadata');
}
