import type { MemoryRecord, Page } from '@keepsake/core';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { showMemories } from '../output/show-memories.ts';
import { noteNothing } from './common/note-nothing.ts';
import { noteMore, type PagingOptions, readPages } from './common/paging.ts';

/** The maximum number of lines per memory on a terminal. */
const MAX_LINES = 4;

export async function run(context: Context, _: readonly string[], options: PagingOptions): Promise<ExitCode> {
  const { output } = context;
  const store = await context.openStore();
  const page: Page<MemoryRecord> = await readPages((paging) => store.list(paging), options);
  if (output.json) {
    await output.value(page);
    return exitCodeOf(page.items);
  }
  await showMemories(output, page.items, MAX_LINES);
  if (page.items.length === 0) noteNothing(context, 'There are no memories');
  noteMore(output, page);
  return exitCodeOf(page.items);
}
