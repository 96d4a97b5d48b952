import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';
import { count } from '../output.ts';
import { noteMore, type PagingOptions, readPages } from '../paging.ts';
import { printable } from '../printable.ts';
import { localTime } from '../show-memories.ts';
import { showTable } from '../show-table.ts';

export async function run(context: Context, [unknown]: readonly string[], options: PagingOptions): Promise<ExitCode> {
  // It is what `sessions` does by default, also when it is followed by something that is no command.
  if (unknown !== undefined) {
    throw usageFailure(`keepsake sessions has no command '${unknown}', but list, show and delete.`);
  }
  const { output } = context;
  const sessions = context.openSessions();
  const page = await readPages((paging) => sessions.list(paging), options);
  if (output.json) {
    await output.value(page);
    return EXIT.fine;
  }
  const time = (iso: string) => (output.isTerminal ? localTime(iso) : iso);
  const rows = page.items.map(({ sessionId, itemCount, createdAt, updatedAt }) => [
    printable(sessionId),
    count(output, itemCount),
    time(updatedAt),
    time(createdAt),
  ]);
  await showTable(output, ['session', 'items', 'last activity', 'begun'], rows);
  if (rows.length === 0) output.note(`There are no sessions in ${context.directory}.`);
  noteMore(output, page);
  return EXIT.fine;
}
