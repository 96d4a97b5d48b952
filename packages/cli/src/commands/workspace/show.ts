import type { Context } from '../../context.ts';
import { type ExitCode, exitCodeOf } from '../../exit-codes.ts';
import { openWorkspace, type WorkspaceSettings, workspacePath } from '../../open/open-workspace.ts';
import { formatTime } from '../../output/format-time.ts';
import { printable } from '../../output/printable.ts';
import { showTable } from '../../output/show-table.ts';

export async function run(context: Context, _: readonly string[], settings: WorkspaceSettings): Promise<ExitCode> {
  const { output } = context;
  const memory = await openWorkspace(context, settings);
  const items = await memory.conversations();
  const { instructions } = await memory.read();
  await memory.close();
  if (output.json) {
    await output.value({ items, instructions });
    return exitCodeOf(items);
  }
  const rows = items.map(({ rolloutId, status, updatedAt, summary = '', error = '' }) => [
    printable(rolloutId),
    status,
    formatTime(output, updatedAt),
    printable(error || summary),
  ]);
  await showTable(output, ['conversation', 'status', 'last run', 'summary'], rows);
  if (rows.length === 0) output.note(`There are no conversations in ${workspacePath(settings)}.`);
  // Omitted in a pipe, where each line is a conversation.
  if (output.isTerminal && instructions !== '') await output.line(`\n${printable(instructions, { lines: true })}`);
  return exitCodeOf(rows);
}
