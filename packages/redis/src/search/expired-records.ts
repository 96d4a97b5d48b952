import type { Records } from '../stores/records.ts';

/** Whether expired records were removed before a search: '' if nobody has tried. */
export type Swept = '' | 'swept' | 'not swept';

/** Removes expired records. If it can't, the search goes on: users who may not write can search, and so can replicas. */
export async function trySweeping(records: Records): Promise<Swept> {
  return records.sweep().then(
    () => 'swept',
    () => 'not swept',
  );
}
