import { allPages } from '@keepsake/internal';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printable } from '../../output/printable.ts';
import { showItem } from '../../output/show-item.ts';

export async function run(
  context: Context,
  [sessionId = '']: readonly string[],
  { limit }: { readonly limit?: number },
): Promise<ExitCode> {
  const { output } = context;
  const items = await context.openSessions().open(sessionId).getItems(limit);
  if (items.length === 0 && !(await isKnown(context, sessionId))) {
    if (output.json) await output.value({ items });
    output.note(`There is no session ${printable(sessionId)} in ${context.path}.`);
    return EXIT.nothing;
  }
  if (output.json) await output.value({ items });
  else for (const item of items) await showItem(output, item);
  return EXIT.fine;
}

/** Whether the session exists, because one without items may only have been cleared. */
async function isKnown(context: Context, id: string): Promise<boolean> {
  const sessions = context.openSessions();
  for await (const page of allPages((options) => sessions.list(options))) {
    if (page.some(({ sessionId }) => sessionId === id)) return true;
  }
  return false;
}
