import { MemoryError, type Namespace, type RecordStore } from '@keepsake/core';
import { AbstractRecordStore } from '@keepsake/core/adapter';
import { type Guard, GuardedRecords } from './guarded-records.ts';

/** A store with the access of one principal. Closing it does not close the wrapped store. */
export class GuardedStore extends AbstractRecordStore {
  constructor(store: RecordStore, guard: Guard) {
    const { name, description, maxSearchResults, writable, extraction, namespace } = store;
    super(
      { name, description, maxSearchResults, writable, extraction, namespace },
      {
        capabilities: store.capabilities,
        open: (at) => new GuardedRecords(storeAt(store, at, guard), guard),
        write: guard.write,
      },
    );
    Object.freeze(this);
  }
}

function storeAt(store: RecordStore, namespace: Namespace, { writtenBy }: Guard): RecordStore {
  const segments = namespace.slice(store.namespace.length);
  if (segments.length === 0) return store;
  if (writtenBy === undefined) return store.within(segments);
  throw new MemoryError('INVALID_ARGUMENT', 'Shared memory has no namespaces below it. Use another pool or team.');
}
