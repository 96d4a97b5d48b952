import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { noteNothing } from '../note-nothing.ts';
import { showMemories } from '../show-memories.ts';

/** How many lines of a memory a terminal shows. */
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
  noteNothing(context, 'Nothing fits');
  return EXIT.nothing;
}
