import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openWorkspace, type WorkspaceSettings } from '../open-workspace.ts';
import { printable } from '../printable.ts';
import { localTime } from '../show-memories.ts';
import { showTable } from '../show-table.ts';

export async function run({ output }: Context, _: readonly string[], settings: WorkspaceSettings): Promise<ExitCode> {
  const memory = openWorkspace(settings);
  const items = await memory.conversations();
  const { instructions } = await memory.read();
  await memory.close();
  if (output.json) {
    await output.value({ items, instructions });
    return EXIT.fine;
  }
  const time = (iso: string) => (output.isTerminal ? localTime(iso) : iso);
  const rows = items.map(({ rolloutId, status, updatedAt, summary = '', error = '' }) => [
    printable(rolloutId),
    status,
    time(updatedAt),
    printable(error || summary),
  ]);
  await showTable(output, ['conversation', 'status', 'last run', 'summary'], rows);
  if (rows.length === 0) output.note(`There are no conversations in ${settings.workspace}.`);
  // In a pipe, each line is a conversation.
  if (output.isTerminal && instructions !== '') await output.line(`\n${printable(instructions, { lines: true })}`);
  return EXIT.fine;
}
