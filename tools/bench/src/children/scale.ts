import { serve } from '../child.ts';
import type { ScaleBackend } from '../scale/backend.ts';
import { BACKENDS } from '../scale/backends/backends.ts';
import { compaction, firstSearch, searchAndList, write } from '../scale/measure.ts';

/* Measures one backend at one size. */

export interface ScaleRequest {
  readonly backend: string;
  readonly directory: string;
  readonly count: number;
  /** Searches in the process that wrote; opens and compacts in new ones. */
  readonly what: 'write and search' | 'open' | 'compact';
}

serve<ScaleRequest>(async ({ backend, directory, count, what }) => {
  const { open: openIn } = await (BACKENDS[backend] as ScaleBackend).load();
  const open = () => openIn(directory);
  if (what === 'open') return firstSearch(open);
  if (what === 'compact') return compaction(open);
  const opened = await open();
  try {
    return { ...(await write(opened, count)), ...(await searchAndList(opened)) };
  } finally {
    await opened.close();
  }
});
