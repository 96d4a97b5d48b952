import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { printable } from '../../output/printable.ts';

/** Calls `remove` for each id in turn, and prints which ids existed. */
export async function removeEach(
  output: Output,
  ids: readonly string[],
  remove: (id: string) => Promise<boolean>,
  what: 'memory' | 'session' | 'conversation',
): Promise<ExitCode> {
  const removed: string[] = [];
  const missing: string[] = [];
  for (const id of ids) {
    const found = await remove(id);
    (found ? removed : missing).push(id);
    if (output.json) continue;
    if (found) await output.line(output.isTerminal ? `Removed ${printable(id)}` : printable(id));
    else output.note(`There is no ${what} ${printable(id)}.`);
  }
  if (output.json) await output.value({ removed, missing });
  return missing.length > 0 ? EXIT.nothing : EXIT.fine;
}
