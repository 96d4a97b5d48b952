import { serve } from '../child.ts';
import { openAndSearch } from '../files/open-and-search.ts';
import { heldBytes } from '../held-bytes.ts';

/* Opens a store that another process wrote and searches it once. */

/** The duration in microseconds and the memory in bytes. */
export interface StoreOpening {
  readonly us: number;
  readonly held: number;
}

serve<{ directory: string }>(async ({ directory }): Promise<StoreOpening> => {
  let us = 0;
  const held = await heldBytes(async () => {
    const opened = await openAndSearch(directory);
    us = opened.us;
    return opened.store;
  });
  return { us, held };
});
