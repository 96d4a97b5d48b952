import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { allPages } from '../paging.ts';
import { printable } from '../printable.ts';
import { showItem } from '../show-item.ts';

export async function run(
  context: Context,
  [sessionId = '']: readonly string[],
  { limit }: { readonly limit?: number },
): Promise<ExitCode> {
  const { output } = context;
  const items = await context.openSessions().open(sessionId).getItems(limit);
  if (items.length === 0 && !(await isKnown(context, sessionId))) {
    if (output.json) await output.value({ items });
    output.note(`There is no session ${printable(sessionId)} in ${context.directory}.`);
    return EXIT.nothing;
  }
  if (output.json) await output.value({ items });
  else for (const item of items) await showItem(output, item);
  return EXIT.fine;
}

/** A session without items may have been cleared. */
async function isKnown(context: Context, id: string): Promise<boolean> {
  const sessions = context.openSessions();
  for await (const page of allPages((options) => sessions.list(options))) {
    if (page.some(({ sessionId }) => sessionId === id)) return true;
  }
  return false;
}
