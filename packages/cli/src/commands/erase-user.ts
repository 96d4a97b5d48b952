import type { ErasureReceipt } from '@keepsake/namespaces';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openSpace, type PrincipalOptions, principalOf } from '../open-space.ts';
import { count, type Output } from '../output.ts';
import { printable } from '../printable.ts';

interface Options extends PrincipalOptions {
  readonly dryRun?: boolean;
  readonly shared?: boolean;
}

export async function run(context: Context, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  const { output } = context;
  await using space = openSpace(context);
  const { dryRun = false, shared: sharedEntries = false } = options;
  const receipt = await space.eraseUser(principalOf(id, options), { dryRun, sharedEntries });
  if (output.json) await output.value(receipt);
  else if (output.isTerminal) await output.line(sentence(output, receipt));
  else for (const [name, number] of figures(receipt)) await output.fields(name, number);
  return EXIT.fine;
}

function figures(receipt: ErasureReceipt): [what: string, number: number][] {
  return [
    ['memories', receipt.memories],
    ['shared entries', receipt.sharedEntries],
    ['unsaved turns', receipt.outboxRecords],
    ['sessions', receipt.sessions],
    ['session items', receipt.sessionItems],
  ];
}

function sentence(output: Output, receipt: ErasureReceipt): string {
  const { type, id } = receipt.principal;
  const counts = figures(receipt).flatMap(([what, number]) => (number > 0 ? [`${count(output, number)} ${what}`] : []));
  const who = `${type} ${printable(id)}`;
  if (counts.length === 0) return `There is nothing of ${who}.`;
  return receipt.dryRun
    ? `Of ${who} there are ${counts.join(', ')}. Nothing was erased.`
    : `Erased of ${who}: ${counts.join(', ')}. Nothing is left.`;
}
