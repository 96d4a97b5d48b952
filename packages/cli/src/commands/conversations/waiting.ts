import type { Context } from '../../context.ts';
import { type ExitCode, exitCodeOf } from '../../exit-codes.ts';
import { type ConversationOptions, openConversations } from '../../open/open-conversations.ts';
import { formatTime } from '../../output/format-time.ts';
import { printable } from '../../output/printable.ts';
import { showTable } from '../../output/show-table.ts';
import { noteNothing } from '../common/note-nothing.ts';
import { noteMore, type PagingOptions, readPages } from '../common/paging.ts';

export async function run(
  context: Context,
  _: readonly string[],
  { kind, user, tenant, ...paging }: PagingOptions & ConversationOptions,
): Promise<ExitCode> {
  const { output } = context;
  const memory = await openConversations(context, { tenant });
  const whose = user === undefined ? { allUsers: true } : { userId: user };
  const page = await readPages((options) => memory.listRuns({ ...options, ...whose, kind, status: 'paused' }), paging);
  if (output.json) {
    await output.value(page);
    return exitCodeOf(page.items);
  }
  const rows = page.items.map(({ key, userId = '', runId, pauseReason = '', updatedAt }) => [
    printable(key.sessionId),
    key.kind,
    printable(userId),
    printable(runId),
    formatTime(output, updatedAt),
    printable(pauseReason),
  ]);
  await showTable(output, ['session', 'kind', 'user', 'run', 'since', 'reason'], rows);
  if (rows.length === 0) noteNothing(context, 'No run waits for approval');
  noteMore(output, page);
  return exitCodeOf(rows);
}
