import { Readable } from 'node:stream';
import type { SessionStore } from '@keepsake/core';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printable } from '../../output/printable.ts';
import { showItem } from '../../output/show-item.ts';
import { findByPrefix, typedId } from '../common/find-by-prefix.ts';
import { sessionIds } from '../common/ids.ts';

export async function run(
  context: Context,
  [text = '']: readonly string[],
  { limit }: { readonly limit?: number },
): Promise<ExitCode> {
  const { output } = context;
  const idOrPrefix = typedId(text);
  const sessions = await context.openSessions();
  let items = await sessions.open(idOrPrefix).getItems(limit);
  const id = items.length > 0 ? idOrPrefix : await findSession(sessions, idOrPrefix);
  if (id !== undefined && id !== idOrPrefix) items = await sessions.open(id).getItems(limit);
  if (id === undefined) {
    if (output.json) await output.value({ items });
    output.note(`There is no session ${printable(idOrPrefix)} in ${context.path}.`);
    return EXIT.nothing;
  }
  if (output.json) await output.value({ items });
  else for (const item of items) await showItem(output, item);
  return EXIT.fine;
}

/** The session with this id, because one without items may only have been cleared, or the only one that begins with it. */
async function findSession(sessions: SessionStore, idOrPrefix: string): Promise<string | undefined> {
  const ids: string[] = [];
  for await (const id of sessionIds(sessions, idOrPrefix)) ids.push(id);
  return ids.includes(idOrPrefix) ? idOrPrefix : findByPrefix(idOrPrefix, Readable.from(ids));
}
