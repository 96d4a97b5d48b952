import type { Context } from '../../context.ts';
import { type ExitCode, exitCodeOf } from '../../exit-codes.ts';
import { usageFailure } from '../../failure.ts';
import { formatTime } from '../../output/format-time.ts';
import { count } from '../../output/output.ts';
import { printable } from '../../output/printable.ts';
import { showTable } from '../../output/show-table.ts';
import { noteMore, type PagingOptions, readPages } from '../common/paging.ts';

export async function run(context: Context, [unknown]: readonly string[], options: PagingOptions): Promise<ExitCode> {
  // `list` is the default subcommand, so it receives an unknown subcommand as its argument.
  if (unknown !== undefined) {
    throw usageFailure(`Unknown command '${unknown}' of keepsake sessions. Use list, show or delete.`);
  }
  const { output } = context;
  const sessions = await context.openSessions();
  const page = await readPages((paging) => sessions.list(paging), options);
  if (output.json) {
    await output.value(page);
    return exitCodeOf(page.items);
  }
  const rows = page.items.map(({ sessionId, itemCount, createdAt, updatedAt }) => [
    printable(sessionId),
    count(output, itemCount),
    formatTime(output, updatedAt),
    formatTime(output, createdAt),
  ]);
  await showTable(output, ['session', 'items', 'last activity', 'created'], rows);
  if (rows.length === 0) output.note(`There are no sessions in ${context.path}.`);
  noteMore(output, page);
  return exitCodeOf(rows);
}
