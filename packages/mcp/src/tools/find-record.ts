import { MemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';

/** The record with an id. Throws `INVALID_ARGUMENT` if there is none. */
export async function findRecord(
  store: RecordStore,
  id: string,
  options: { readonly asOf?: string | undefined } = {},
): Promise<MemoryRecord> {
  const record = await store.get(id, options);
  if (record !== undefined) return record;
  const when = options.asOf === undefined ? '' : ' at that time';
  throw new MemoryError('INVALID_ARGUMENT', `There is no memory with this id${when}. Call recall for its current id.`);
}
