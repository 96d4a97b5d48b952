import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';
import { noteNothing } from '../note-nothing.ts';
import { type ConversationOptions, openConversations } from '../open-conversations.ts';
import { noteMore, type PagingOptions, readPages } from '../paging.ts';
import { printable } from '../printable.ts';
import { localTime } from '../show-memories.ts';
import { showTable } from '../show-table.ts';

export async function run(
  context: Context,
  [unknown]: readonly string[],
  { kind, user, tenant, ...paging }: PagingOptions & ConversationOptions,
): Promise<ExitCode> {
  // It is what `conversations` does by default, also when it is followed by something that is no command.
  if (unknown !== undefined) {
    throw usageFailure(`keepsake conversations has no command '${unknown}', but list, show and delete.`);
  }
  const { output } = context;
  const memory = openConversations(context, { tenant });
  const page = await readPages((options) => memory.listSessions({ ...options, userId: user ?? null, kind }), paging);
  if (output.json) {
    await output.value(page);
    return EXIT.fine;
  }
  const time = (iso: string) => (output.isTerminal ? localTime(iso) : iso);
  const rows = page.items.map(({ key, userId = '', createdAt, updatedAt }) => [
    printable(key.sessionId),
    key.kind,
    printable(userId),
    time(updatedAt),
    time(createdAt),
  ]);
  await showTable(output, ['session', 'kind', 'user', 'last activity', 'begun'], rows);
  if (rows.length === 0)
    noteNothing(
      context,
      `There are no${kind === undefined ? '' : ` ${kind}`} conversations${user === undefined ? '' : ` of ${user}`}`,
    );
  noteMore(output, page);
  return EXIT.fine;
}
