import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
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
  const found = await context.openStore().search(words.join(' '), { maxSearchResults: limit, explain });
  if (output.json) await output.value({ items: found });
  else await showMemories(output, found, MAX_LINES);
  if (found.length > 0) return EXIT.fine;
  noteNothing(context, 'There are no matches');
  return EXIT.nothing;
}
