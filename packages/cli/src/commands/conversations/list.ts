import type { Context } from '../../context.ts';
import { type ExitCode, exitCodeOf } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import { type ConversationOptions, openConversations } from '../../open/open-conversations.ts';
import { formatTime } from '../../output/format-time.ts';
import { printable } from '../../output/printable.ts';
import { showTable } from '../../output/show-table.ts';
import { noteNothing } from '../common/note-nothing.ts';
import { noteMore, type PagingOptions, readPages } from '../common/paging.ts';

export async function run(
  context: Context,
  [unknown]: readonly string[],
  { kind, user, tenant, ...paging }: PagingOptions & ConversationOptions,
): Promise<ExitCode> {
  // `list` is the default subcommand, so it receives an unknown subcommand as its argument.
  if (unknown !== undefined) {
    throw usageFailure(`Unknown command '${unknown}' of keepsake conversations. Use list, waiting, show or delete.`);
  }
  const { output } = context;
  const memory = await openConversations(context, { tenant });
  const whose = user === undefined ? { allUsers: true } : { userId: user };
  const page = await readPages((options) => memory.listSessions({ ...options, ...whose, kind }), paging);
  if (output.json) {
    await output.value(page);
    return exitCodeOf(page.items);
  }
  const rows = page.items.map(({ key, userId = '', createdAt, updatedAt }) => [
    printable(key.sessionId),
    key.kind,
    printable(userId),
    formatTime(output, updatedAt),
    formatTime(output, createdAt),
  ]);
  await showTable(output, ['session', 'kind', 'user', 'last activity', 'created'], rows);
  if (rows.length === 0)
    noteNothing(
      context,
      `There are no${kind === undefined ? '' : ` ${kind}`} conversations${user === undefined ? '' : ` of ${user}`}`,
    );
  noteMore(output, page);
  return exitCodeOf(rows);
}
