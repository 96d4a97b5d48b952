import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openWorkspace, type WorkspaceSettings } from '../../open/open-workspace.ts';
import { formatTime } from '../../output/format-time.ts';
import { printable } from '../../output/printable.ts';
import { showTable } from '../../output/show-table.ts';

export async function run({ output }: Context, _: readonly string[], settings: WorkspaceSettings): Promise<ExitCode> {
  const memory = openWorkspace(settings);
  const items = await memory.conversations();
  const { instructions } = await memory.read();
  await memory.close();
  if (output.json) {
    await output.value({ items, instructions });
    return EXIT.fine;
  }
  const rows = items.map(({ rolloutId, status, updatedAt, summary = '', error = '' }) => [
    printable(rolloutId),
    status,
    formatTime(output, updatedAt),
    printable(error || summary),
  ]);
  await showTable(output, ['conversation', 'status', 'last run', 'summary'], rows);
  if (rows.length === 0) output.note(`There are no conversations in ${settings.workspace}.`);
  // Omitted in a pipe, where each line is a conversation.
  if (output.isTerminal && instructions !== '') await output.line(`\n${printable(instructions, { lines: true })}`);
  return EXIT.fine;
}
