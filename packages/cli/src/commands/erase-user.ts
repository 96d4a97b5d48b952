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
  else if (output.isTerminal) await output.line(sentence(output, receipt, sharedEntries));
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

/** What came of it. What is shared was not looked at unless that was asked for, so nothing is said of it. */
function sentence(output: Output, receipt: ErasureReceipt, sharedEntries: boolean): string {
  const { type, id } = receipt.principal;
  const counts = figures(receipt).flatMap(([what, number]) => (number > 0 ? [`${count(output, number)} ${what}`] : []));
  const who = `${type} ${printable(id)}`;
  const beside = sharedEntries ? '' : ', but for what they may have shared (--shared)';
  if (counts.length === 0) return `There is nothing of ${who}${beside}.`;
  return receipt.dryRun
    ? `Of ${who} there are ${counts.join(', ')}. Nothing was erased.`
    : `Erased of ${who}: ${counts.join(', ')}. Nothing is left${beside}.`;
}
