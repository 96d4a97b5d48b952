import type { Context } from '../context.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { showMemories } from '../output/show-memories.ts';
import { noteNothing } from './common/note-nothing.ts';

/** The maximum number of lines per memory on a terminal. */
const MAX_LINES = 20;

export async function run(
  context: Context,
  words: readonly string[],
  { limit, explain = false }: { readonly limit: number; readonly explain?: boolean },
): Promise<ExitCode> {
  const { output } = context;
  const store = await context.openStore();
  const memories = await store.search(words.join(' '), { maxSearchResults: limit, explain });
  if (output.json) await output.value({ items: memories });
  else await showMemories(output, memories, MAX_LINES);
  if (memories.length === 0) noteNothing(context, 'There are no matches');
  return exitCodeOf(memories);
}
