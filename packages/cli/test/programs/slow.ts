import { setTimeout } from 'node:timers/promises';
import type { RecordStore } from '@keepsake/core';

const BATCH_MS = 500;

/** A store that takes a while for each batch, so that what writes it can be interrupted. */
export function slow<Store extends RecordStore>(store: Store): Store {
  const putMany = store.putMany.bind(store);
  return Object.assign(store, {
    async putMany(...args: Parameters<typeof putMany>) {
      await setTimeout(BATCH_MS);
      return putMany(...args);
    },
  });
}
